import { Page } from '#/ui/page.tsx';

export function WorkflowsPage() {
  return <Page title="Workflows">{null}</Page>;
}
