// How many devices were Online over a day, a week or a month, with the deploys.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { IconRocket } from '@tabler/icons-react';
import { historyQueries } from '#/api/history.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { paths } from '#/paths.ts';
import { formatClock, formatCount, formatDay } from '#/lib/format.ts';
import { Chart } from '#/ui/chart/chart.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { oneOf, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deployMarks, fleetSeries, type Deploy } from './series.ts';

const SPANS = [
  { value: '24', label: '24\u00a0h', words: 'the last 24 hours' },
  { value: '168', label: '7\u00a0d', words: 'the last 7 days' },
  { value: '720', label: '30\u00a0d', words: 'the last 30 days' },
] as const;

const spanUrl = urlSchema({ span: oneOf(['24', '168', '720'], '24') });

/** Deploys that are read for their marks. */
const MOST_DEPLOYS = 100;

export function SpanChoice() {
  const [{ span }, url] = useUrlState(spanUrl);
  return (
    <SegmentedControl
      size="xs"
      aria-label="Span of the chart"
      value={span}
      data={SPANS}
      onChange={(chosen) => url.set({ span: chosen })}
    />
  );
}

/** Rollouts, and the jobs to groups and tags that belong to none. */
function useDeploys(hasRollouts: boolean): Deploy[] {
  const rollouts = useQuery({ ...rolloutQueries.list(), enabled: hasRollouts }).data;
  const jobs = useJobs({}, { most: MOST_DEPLOYS }).data;
  return useMemo(
    () => [
      ...(rollouts ?? []).map(({ RolloutId, Name, CreatedTime }) => ({
        at: Date.parse(CreatedTime),
        name: Name,
        to: paths.rollout(RolloutId),
      })),
      ...(jobs ?? [])
        .filter(({ Counts }) => Counts)
        .map(({ JobId, JobName, CreatedTime }) => ({
          at: parseTimestamp(CreatedTime ?? '')?.getTime() ?? Number.NaN,
          name: JobName || JobId,
          to: paths.job(JobId),
        })),
    ],
    [rollouts, jobs],
  );
}

interface FleetAreaProps {
  hasRollouts: boolean;
  online: number;
  offline: number;
}

export function FleetArea({ hasRollouts, online, offline }: FleetAreaProps) {
  const [{ span }] = useUrlState(spanUrl);
  const { value, words } = SPANS.find((each) => each.value === span) ?? SPANS[0];
  const reading = useQuery(historyQueries.series(Number(value)));
  const { zone } = useLook();
  const deploys = useDeploys(hasRollouts);
  const series = useMemo(
    () => reading.data && fleetSeries(reading.data, { online, offline }),
    [reading.data, online, offline],
  );
  const shown = useMemo(
    () =>
      series && [
        { label: 'Online', color: 'online' as const, values: series.online },
        { label: 'Offline', color: 'offline' as const, values: series.offline },
      ],
    [series],
  );
  const formatX = useMemo(
    () =>
      value === '720' ? (x: number) => formatDay(new Date(x), zone) : (x: number) => formatClock(new Date(x), zone),
    [value, zone],
  );
  if (!series || !shown) return reading.error ? <NoDataYet query={reading} name="the history" rows={4} /> : null;
  if (series.x.length === 0) return <p className="dim small">The history of this fleet begins now.</p>;
  const counts = series.online.filter((count) => count !== null);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const range = least === most ? formatCount(most) : `between ${formatCount(least)} and ${formatCount(most)}`;
  const end = (series.x.at(-1) ?? 0) + series.step;
  const period = series.since === undefined ? `in ${words}` : `since ${formatClock(new Date(series.since), zone)}`;
  return (
    <>
      <Chart
        label={`Devices Online ${period}: ${counts.length > 0 ? range : 'unknown'}`}
        x={series.x}
        step={series.step}
        series={shown}
        shape="area"
        height={CHART_HEIGHT}
        formatX={formatX}
        formatReadoutX={(x) => formatClock(new Date(x), zone)}
        formatY={formatCount}
        note={series.since !== undefined && `Known since ${formatClock(new Date(series.since), zone)}.`}
        unknown={series.unknown}
        marks={deployMarks(deploys, { from: series.x[0] ?? 0, to: end }, { all: paths.jobs(), Icon: IconRocket })}
      />
    </>
  );
}

const CHART_HEIGHT = 210;
