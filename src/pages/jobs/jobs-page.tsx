import { Page } from '#/ui/page.tsx';

export function JobsPage() {
  return <Page title="Jobs">{null}</Page>;
}
