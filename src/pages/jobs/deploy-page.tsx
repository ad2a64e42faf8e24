import { Page } from '#/ui/page.tsx';

export function DeployPage() {
  return <Page title="Deploy">{null}</Page>;
}
