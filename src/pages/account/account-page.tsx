// The account: what it may use and does, its API tokens, who is signed in, how it looks, what is kept here, which service this is, and the
// way out.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { NoticesSwitch } from '#/ui/controls/notices-switch.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { Appearance } from './appearance.tsx';
import { BrowserData } from './browser-data.tsx';
import { ServiceInUse } from './service-in-use.tsx';
import { Sessions } from './sessions.tsx';
import { SignOut } from './sign-out.tsx';
import { Tokens } from './tokens.tsx';
import { Usage } from './usage.tsx';

export function AccountPage() {
  const account = useQuery(accountQueries.get());
  return (
    <Page title="Account" lead={account.data?.UserEmail} actions={<SignOut />}>
      <Usage />
      <Tokens />
      <Sessions />
      <Appearance />
      <Section title="Notices">
        <NoticesSwitch label="Tell me when a deployment has ended or failed" />
      </Section>
      <BrowserData />
      <ServiceInUse />
    </Page>
  );
}
