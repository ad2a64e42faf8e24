// What this browser shows and stores: appearance, notices, data in it, and the service in use.
import '#/ui/form/checkbox.css';
import { Checkbox } from '@mantine/core';
import { noNotices, switchNotices, useNoticesOn } from '#/ui/controls/system-notices.ts';
import { Page, Section } from '#/ui/page/page.tsx';
import { Appearance } from './appearance.tsx';
import { BrowserData } from './browser-data.tsx';
import { ServiceInUse } from './service-in-use.tsx';

export function AppearancePage() {
  return (
    <Page title="Appearance" lead="Stored in this browser for everyone who signs in here.">
      <Appearance />
      <Section title="Notices">
        <NoticesSwitch />
      </Section>
      <BrowserData />
      <ServiceInUse />
    </Page>
  );
}

/** The browser asks for permission only when notices are switched on. */
function NoticesSwitch() {
  const isOn = useNoticesOn();
  const why = noNotices();
  return (
    <Checkbox
      label="Notify me when a deployment ends or fails"
      description={why ?? 'Works while this page is open in a hidden tab. Stored in this browser.'}
      checked={isOn}
      disabled={why !== undefined}
      onChange={({ currentTarget: { checked } }) => void switchNotices(checked)}
    />
  );
}
