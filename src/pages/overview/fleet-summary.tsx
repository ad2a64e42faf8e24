// The state of the fleet in one sentence, each figure of it a way to the devices behind it, and the last day as a strip.
import { useMemo, type ReactNode } from 'react';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { problemWords } from '#/fleet/agent-words.ts';
import { awayStretches } from '#/features/device-history/state-stretches.ts';
import { StateStrip } from '#/features/device-history/state-strip.tsx';
import { paths } from '#/paths.ts';
import { devicesText, formatCount, formatDuration } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import { fleetFigures } from './figures.ts';
import type { Recent } from './use-recent.ts';
import classes from './overview-page.module.css';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Less than that is no picture. */
const LITTLE = 300_000;

interface FleetSummaryProps {
  index: FleetIndex;
  recent: Recent;
}

export function FleetSummary({ index, recent }: FleetSummaryProps) {
  const figures = useMemo(() => fleetFigures(index), [index]);
  const isReading = recent.isOffered && !recent.data && !recent.error;
  return (
    <section className={classes.summary} aria-label="Fleet" data-reading={isReading || undefined}>
      <div>
        <p className={classes.sentence}>
          <Sentence total={index.size} online={figures.online} />
        </p>
        <p className={classes.split}>
          {figures.offline > 0 && (
            <Link to={paths.devices({ status: 'Offline' })}>
              <StateMark state="Offline" label={`${formatCount(figures.offline)} Offline`} />
            </Link>
          )}
          {figures.never > 0 && (
            <Link to={paths.devices({ seen: 'never' })}>{formatCount(figures.never)} never seen</Link>
          )}
          {figures.others.map(({ state, count }) => (
            <Link key={state} to={paths.devices({ status: state })}>
              <StateMark state={state} label={`${formatCount(count)} ${state}`} />
            </Link>
          ))}
          {figures.problems.map(({ problem, count }) => (
            <Link key={problem} to={paths.devices({ problem })}>
              <StateMark
                state="Interrupted"
                label={`${formatCount(count)} ${problemWords(problem).replace('Agent', 'agent')}`}
              />
            </Link>
          ))}
        </p>
      </div>
      {recent.data && <LastDay index={index} recent={recent} away={index.size - figures.online} />}
    </section>
  );
}

function Sentence({ total, online }: { total: number; online: number }): ReactNode {
  if (total === 0) return 'No devices yet';
  const areOnline = (
    <>
      <Link to={paths.devices()}>{devicesText(total)}</Link> {total === 1 ? 'is' : 'are'} Online
    </>
  );
  if (online === total) return <StateMark state="Online" label={total === 1 ? areOnline : <>All {areOnline}</>} />;
  return (
    <>
      <Link to={paths.devices({ status: 'Online' })}>{formatCount(online)}</Link> of {areOnline}
    </>
  );
}

function LastDay({ index, recent, away }: FleetSummaryProps & { away: number }) {
  // To the minute: a day is no wider than a few hundred pixels.
  const to = Math.ceil(useNow().getTime() / MINUTE) * MINUTE;
  const { events, gaps, since } = recent;
  const stretches = useMemo(
    () => awayStretches(events, gaps, away, { from: Math.max(since ?? 0, to - DAY), to }),
    [events, gaps, away, since, to],
  );
  const known = stretches.filter(({ value }) => value !== undefined);
  const length = known.reduce((sum, stretch) => sum + stretch.to - stretch.from, 0);
  const counts = known.map(({ value }) => value ?? 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (length < LITTLE || index.size === 0) return null;
  const range = least === most ? formatCount(most) : `between ${formatCount(least)} and ${formatCount(most)}`;
  const span = since === undefined ? '24 hours' : formatDuration(to - since, 'rough');
  return (
    <div className={classes.day}>
      <StateStrip
        tall
        label={`The last ${span}: ${range} of ${devicesText(index.size)} not Online`}
        stretches={stretches.map(({ value, ...stretch }) => ({
          ...stretch,
          share: value === undefined ? undefined : 1 - value / index.size,
        }))}
      />
      <p className={classes.note}>Online in the last {span}.</p>
    </div>
  );
}
