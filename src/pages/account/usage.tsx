// What the plan allows and how much of it is used, with the way there as this browser saw it.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { byteFigures, daysLeft, deviceFigures, forecastText } from '#/fleet/usage-history.ts';
import type { Figure } from '#/fleet/usage-history.ts';
import { useUsageHistory } from '#/fleet/use-usage-history.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Meter } from '#/ui/meter.tsx';
import { Section } from '#/ui/page.tsx';
import { Sparkline } from '#/ui/sparkline.tsx';
import { View } from '#/ui/view.tsx';
import classes from './account-page.module.css';

const DAY = 86_400_000;

interface UsedProps {
  label: string;
  used: number;
  limit: number;
  format: (value: number) => string;
  figures: readonly Figure[];
}

function Used({ label, used, limit, format, figures }: UsedProps) {
  const [first] = figures;
  const last = figures.at(-1);
  const days = first && last ? Math.max(1, Math.round((last.at - first.at) / DAY)) : 0;
  return (
    <div>
      <Meter label={label} used={used} limit={limit} format={format} />
      {first && last && figures.length > 1 && (
        <Sparkline
          points={figures}
          label={`${label}: from ${format(first.value)} to ${format(last.value)} in ${days === 1 ? 'a day' : `${days} days`}`}
        />
      )}
      <p className={classes['note']}>{forecastText(daysLeft(figures, limit))}.</p>
    </div>
  );
}

export function Usage() {
  const account = useQuery(accountQueries.get());
  const history = useUsageHistory(account.data, account.dataUpdatedAt);
  return (
    <Section title="Usage">
      <View query={account} name="the account" empty={null} rows={2}>
        {({ NumDevicesAdded, PlanMaxDeviceLimit, ArtifactBytesUsed, ArtifactBytesLimit }) => (
          <div className={classes['meters']}>
            <Used
              label="Devices"
              used={NumDevicesAdded}
              limit={PlanMaxDeviceLimit}
              format={formatCount}
              figures={deviceFigures(history)}
            />
            {ArtifactBytesUsed !== undefined && ArtifactBytesLimit !== undefined ? (
              <Used
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
