// The account: usage, API tokens, sessions, appearance, notices, data in this browser, and the service.
import '#/ui/form/checkbox.css';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { signOut } from '#/api/session.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Page, Section } from '#/ui/page/page.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { Appearance } from './appearance.tsx';
import { BrowserData } from './browser-data.tsx';
import { ServiceInUse } from './service-in-use.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';
import { Usage } from './usage.tsx';
import { noNotices, switchNotices, useNoticesOn } from '#/ui/controls/system-notices.ts';

export function AccountPage() {
  const account = useQuery(accountQueries.get());
  return (
    <Page title="Account" lead={account.data?.UserEmail ?? '\u00a0'} actions={<SignOut />}>
      <Usage />
      <Tokens />
      <Sessions />
      <Appearance />
      <Section title="Notices">
        <NoticesSwitch />
      </Section>
      <BrowserData />
      <ServiceInUse />
    </Page>
  );
}

/** Ends the session here and in every other tab. */
function SignOut() {
  const leave = useWrite({ mutationFn: signOut });
  return (
    <>
      <FormError error={leave.error} />
      <Button
        leftSection={<IconLogout size={18} stroke={1.6} aria-hidden />}
        loading={leave.isPending}
        onClick={() => leave.mutate()}
      >
        Sign out
      </Button>
    </>
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
