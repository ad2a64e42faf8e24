// The jobs that ended on each of the last 14 days, by their outcome.
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import type { UseQueryResult } from '@tanstack/react-query';
import type { HistorySeries } from '#/contract/history.ts';
import { changeText } from '#/lib/change-text.ts';
import { paths } from '#/paths.ts';
import { counted, formatCount, formatDay } from '#/lib/format.ts';
import { Chart } from '#/ui/chart/chart.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { jobDays, jobsOfDays } from './series.ts';

export const DAYS = 14;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface JobDaysProps {
  reading: UseQueryResult<HistorySeries>;
  /** Where the history begins, if it does not reach back so far. */
  since: number | undefined;
}

export function JobDays({ reading, since }: JobDaysProps) {
  const { zone } = useLook();
  const navigate = useNavigate();
  const now = Math.floor(useNow().getTime() / HOUR) * HOUR;
  const days = useMemo(
    () => reading.data && jobDays(reading.data, { now, zone, days: DAYS, since }),
    [reading.data, now, zone, since],
  );
  const series = useMemo(
    () =>
      days && [
        { label: 'Succeeded', color: 'ok' as const, values: days.succeeded },
        { label: 'Failed', color: 'failed' as const, values: days.failed },
        { label: 'Other', color: 'waiting' as const, values: days.other },
      ],
    [days],
  );
  const formatX = useMemo(() => (x: number) => formatDay(new Date(x), zone), [zone]);
  if (!days || !series) return reading.error ? <NoDataYet query={reading} name="the jobs" rows={4} /> : null;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const total = sum(days.succeeded) + sum(days.failed) + sum(days.other);
  if (total === 0) return <p className="dim small">No job has ended in the last {DAYS} days.</p>;
  return (
    <Chart
      label={`Jobs on devices that ended in the last ${counted(days.x.length, 'day')}: ${formatCount(total)}, ${formatCount(sum(days.failed))} of them failed`}
      x={days.x}
      step={DAY}
      series={series}
      shape="bars"
      height={210}
      formatX={formatX}
      formatY={formatCount}
      onPick={(at) => {
        const hours = Math.max(1, Math.ceil((Date.now() - at) / HOUR));
        void navigate(paths.jobs({ within: String(hours) }));
      }}
      pickText="lists the jobs since then"
    />
  );
}

/** How many ended in the last 24 hours. */
export function JobsLately({ history, since }: { history: HistorySeries; since: number | undefined }) {
  const now = useNow().getTime();
  const { last, before } = jobsOfDays(history, { now, since, of: (jobs) => jobs.Succeeded + jobs.Failed + jobs.Other });
  return (
    <span className="small dim tabular">
      {formatCount(last)} in 24 h{before !== undefined && `, ${changeText(last, before, formatCount)}`}
    </span>
  );
}
