import { Page } from '#/ui/page.tsx';

export function JobPage() {
  return <Page title="Job">{null}</Page>;
}
