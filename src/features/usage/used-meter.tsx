// How much of a limit is used, its history, and how long the rest will last.
import { useQuery } from '@tanstack/react-query';
import type { Account } from '#/contract/account.ts';
import { usageEndpoints, type UsageDay } from '#/contract/usage.ts';
import { offers } from '#/api/capabilities.ts';
import { useMe, whyNot } from '#/api/people.ts';
import { usageQueries } from '#/api/usage.ts';
import { changeText } from '#/lib/change-text.ts';
import { Meter } from '#/ui/controls/meter.tsx';
import { Sparkline } from '#/ui/controls/sparkline.tsx';
import { dayBefore, daysLeft, forecastText, type Figure } from './usage-history.ts';
import classes from './used-meter.module.css';

const DAY = 86_400_000;
const NONE: UsageDay[] = [];

/** The daily usage of the account; empty if the service keeps no history, or does not show it to this person. */
export function useUsageHistory(account: Account | undefined): UsageDay[] {
  const me = useMe();
  const isKnown = account !== undefined && (me !== undefined || !offers(account, 'people'));
  const enabled = isKnown && offers(account, 'usage') && whyNot(me, usageEndpoints.list) === undefined;
  return useQuery({ ...usageQueries.days(), enabled }).data?.Items ?? NONE;
}

interface UsedMeterProps {
  label: string;
  used: number;
  limit: number;
  format: (value: number) => string;
  figures: readonly Figure[];
}

export function UsedMeter({ label, used, limit, format, figures }: UsedMeterProps) {
  const [first] = figures;
  const last = figures.at(-1);
  const forecast = forecastText(daysLeft(figures, limit));
  const before = dayBefore(figures);
  const notes = [before !== undefined && changeText(used, before, format), forecast].filter(Boolean);
  const days = first && last ? Math.max(1, Math.round((last.at - first.at) / DAY)) : 0;
  return (
    <div>
      <Meter label={label} used={used} limit={limit} format={format} />
      {first && last && last.at - first.at >= DAY / 2 && (
        <div className={classes.line}>
          <Sparkline
            points={figures}
            label={`${label}: from ${format(first.value)} to ${format(last.value)} in ${days === 1 ? 'a day' : `${days} days`}`}
          />
        </div>
      )}
      {notes.length > 0 && <p className={classes.notes}>{notes.join('. ')}.</p>}
    </div>
  );
}
