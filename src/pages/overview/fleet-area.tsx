// How many devices were Online over a day, a week or a month, with the deploys; a moment leads to its replay on the map.
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { IconRocket } from '@tabler/icons-react';
import { historyQueries } from '#/api/history.ts';
import { deployMarks } from '#/features/deploy-marks/deploy-marks.ts';
import { useDeploys } from '#/features/deploy-marks/use-deploys.ts';
import { paths } from '#/paths.ts';
import { formatClock, formatCount, formatDay } from '#/lib/format.ts';
import { Chart } from '#/ui/chart/chart.tsx';
import { useIsPhone } from '#/ui/controls/use-is-phone.ts';
import { useLook } from '#/ui/controls/look.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { oneOf, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { fleetSeries } from './series.ts';

const SPANS = [
  { value: '24', label: '24\u00a0h', words: 'the last 24 hours' },
  { value: '168', label: '7\u00a0d', words: 'the last 7 days' },
  { value: '720', label: '30\u00a0d', words: 'the last 30 days' },
] as const;

const spanUrl = urlSchema({ span: oneOf(['24', '168', '720'], '24') });

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

interface FleetAreaProps {
  hasRollouts: boolean;
  /** Whether devices have locations, so that the map can show them. */
  isOnMap: boolean;
  online: number;
  offline: number;
}

export function FleetArea({ hasRollouts, isOnMap, online, offline }: FleetAreaProps) {
  const [{ span }] = useUrlState(spanUrl);
  const { value, words } = SPANS.find((each) => each.value === span) ?? SPANS[0];
  const reading = useQuery(historyQueries.series(Number(value)));
  const { zone } = useLook();
  const navigate = useNavigate();
  const deploys = useDeploys(hasRollouts);
  const isPhone = useIsPhone();
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
        marks={deployMarks(
          deploys,
          { from: series.x[0] ?? 0, to: end },
          { all: paths.jobs(), Icon: IconRocket, isPhone },
        )}
        {...(isOnMap && {
          onPick: (at: number) => void navigate(paths.replay(value === '168' ? '7d' : '24h', new Date(at))),
          pickText: 'shows the map as it was then',
        })}
      />
    </>
  );
}

const CHART_HEIGHT = 210;
