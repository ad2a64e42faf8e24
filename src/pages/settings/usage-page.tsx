// The limits of the plan and how much of each is used, with its history and a forecast.
import { useQuery } from '@tanstack/react-query';
import type { Account } from '#/contract/account.ts';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { usageFigures } from '#/features/usage/usage-history.ts';
import { UsedMeter, useUsageHistory } from '#/features/usage/used-meter.tsx';
import { counted, formatBytes, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { View } from '#/ui/page/view.tsx';
import classes from './settings.module.css';

export function UsagePage() {
  const account = useQuery(accountQueries.get());
  const history = useUsageHistory(account.data);
  return (
    <Page title="Usage" lead={account.data?.UserEmail ?? '\u00a0'}>
      <View query={account} name="the account" empty={null} rows={2}>
        {(used) => (
          <div className={classes.meters}>
            <UsedMeter
              label="Devices"
              used={used.NumDevicesAdded}
              limit={used.PlanMaxDeviceLimit}
              format={formatCount}
              figures={usageFigures(history, 'Devices')}
            />
            {used.ArtifactBytesUsed !== undefined && used.ArtifactBytesLimit !== undefined ? (
              <UsedMeter
                label="Artifact storage"
                used={used.ArtifactBytesUsed}
                limit={used.ArtifactBytesLimit}
                format={formatBytes}
                figures={usageFigures(history, 'ArtifactBytes')}
              />
            ) : (
              <p className="dim">This service does not report how much storage artifacts use.</p>
            )}
            {used.OutputBytesUsed !== undefined && used.OutputBytesLimit !== undefined && (
              <div>
                <UsedMeter
                  label="Job output"
                  used={used.OutputBytesUsed}
                  limit={used.OutputBytesLimit}
                  format={formatBytes}
                  figures={usageFigures(history, 'OutputBytes')}
                />
                <p className={classes.note}>
                  <OutputNote account={used} />
                </p>
              </div>
            )}
            {!offers(used, 'usage') && (
              <p className="dim">This service keeps no history of usage, so nothing is forecast.</p>
            )}
            {used.ClockAheadSeconds !== undefined && (
              <p className={classes.low} role="note">
                The clock of a node of the service is {counted(Math.abs(used.ClockAheadSeconds), 'second')}{' '}
                {used.ClockAheadSeconds > 0 ? 'ahead of' : 'behind'} the clock of its database, so times of jobs and
                devices may be wrong. Synchronize both machines with NTP.
              </p>
            )}
            {used.DiskState === 'Low' && (
              <p className={classes.low} role="note">
                The disk of the service is nearly full
                {used.DiskBytesFree !== undefined && `: ${formatBytes(used.DiskBytesFree)} are free`}. Delete jobs or
                artifacts, or free space on it.
              </p>
            )}
          </div>
        )}
      </View>
    </Page>
  );
}

/** How long job output is stored, and what will be removed next. */
function OutputNote({ account }: { account: Account }) {
  const { OutputRemoval: next, OutputDays: days, OutputBytesUsed: used = 0, OutputBytesLimit: limit = 0 } = account;
  if (next) {
    const time = <Timestamp text={next.Time} ahead />;
    const size = formatBytes(next.Bytes);
    return next.Because === 'JOB_OUTPUT_DAYS' ? (
      <>
        The output of {formatCount(next.Jobs ?? 0)} {next.Jobs === 1 ? 'job' : 'jobs'} ({size}) will be older than{' '}
        {days} days and is removed {time}. Archive what is still needed; the jobs stay.
      </>
    ) : (
      <>
        More is stored than the limit allows: the oldest output ({size}) is removed {time}. Archive what is still
        needed; the jobs stay.
      </>
    );
  }
  const atLimit = 'At the limit, the oldest output is removed first; its jobs stay.';
  if (used >= limit * 0.9) return `Nearly full. ${atLimit} Archive what is still needed.`;
  return days === undefined ? atLimit : `Stored for ${days} days. ${atLimit}`;
}
