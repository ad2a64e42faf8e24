import { Page } from '#/ui/page.tsx';

export function ArtifactsPage() {
  return <Page title="Artifacts">{null}</Page>;
}
