// The account: what it may use and does, its API tokens, which service this is, how it looks, and the way out.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Meter } from '#/ui/meter.tsx';
import { NoticesSwitch } from '#/ui/notices-switch.tsx';
import { Page, Section } from '#/ui/page.tsx';
import { View } from '#/ui/view.tsx';
import { Appearance } from './appearance.tsx';
import { ServiceInUse } from './service-in-use.tsx';
import { SignOut } from './sign-out.tsx';
import { Tokens } from './tokens.tsx';
import classes from './account-page.module.css';

export function AccountPage() {
  const account = useQuery(accountQueries.get());
  return (
    <Page title="Account" lead={account.data?.UserEmail} actions={<SignOut />}>
      <Section title="Usage">
        <View query={account} name="the account" empty={null} rows={2}>
          {({ NumDevicesAdded, PlanMaxDeviceLimit, ArtifactBytesUsed, ArtifactBytesLimit }) => (
            <div className={classes['meters']}>
              <Meter label="Devices" used={NumDevicesAdded} limit={PlanMaxDeviceLimit} format={formatCount} />
              {ArtifactBytesUsed !== undefined && ArtifactBytesLimit !== undefined ? (
                <Meter
                  label="Artifact storage"
                  used={ArtifactBytesUsed}
                  limit={ArtifactBytesLimit}
                  format={formatBytes}
                />
              ) : (
                <p className="dim">This service does not tell how much storage artifacts use.</p>
              )}
            </div>
          )}
        </View>
      </Section>
      <Tokens />
      <Appearance />
      <Section title="Notices">
        <NoticesSwitch label="Tell me when a deployment has ended or failed" />
      </Section>
      <ServiceInUse />
    </Page>
  );
}
