// What the plan allows and how much of it is used, with the way there as this browser saw it.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { byteFigures, deviceFigures } from '#/fleet/usage-history.ts';
import { UsedMeter } from '#/fleet/used-meter.tsx';
import { useUsageHistory } from '#/fleet/use-usage-history.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Section } from '#/ui/page.tsx';
import { View } from '#/ui/view.tsx';
import classes from './account-page.module.css';

export function Usage() {
  const account = useQuery(accountQueries.get());
  const history = useUsageHistory(account.data, account.dataUpdatedAt);
  return (
    <Section title="Usage">
      <View query={account} name="the account" empty={null} rows={2}>
        {({ NumDevicesAdded, PlanMaxDeviceLimit, ArtifactBytesUsed, ArtifactBytesLimit }) => (
          <div className={classes['meters']}>
            <UsedMeter
              label="Devices"
              used={NumDevicesAdded}
              limit={PlanMaxDeviceLimit}
              format={formatCount}
              figures={deviceFigures(history)}
            />
            {ArtifactBytesUsed !== undefined && ArtifactBytesLimit !== undefined ? (
              <UsedMeter
                label="Artifact storage"
                used={ArtifactBytesUsed}
                limit={ArtifactBytesLimit}
                format={formatBytes}
                figures={byteFigures(history)}
              />
            ) : (
              <p className="dim">This service does not tell how much storage artifacts use.</p>
            )}
          </div>
        )}
      </View>
    </Section>
  );
}
