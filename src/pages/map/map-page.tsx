import { Page } from '#/ui/page.tsx';

export function MapPage() {
  return <Page title="Map">{null}</Page>;
}
