import { Page } from '#/ui/page.tsx';

export function TunnelsPage() {
  return <Page title="Tunnels">{null}</Page>;
}
