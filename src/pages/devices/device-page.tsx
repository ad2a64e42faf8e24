import { Page } from '#/ui/page.tsx';

export function DevicePage() {
  return <Page title="Device">{null}</Page>;
}
