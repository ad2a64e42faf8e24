// The state of the fleet in one sentence, with links to the devices behind each figure, and its course as a chart.
import { useMemo, type ReactNode } from 'react';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { problemWords } from '#/fleet/agent-words.ts';
import { paths } from '#/paths.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import { fleetFigures } from './figures.ts';
import { FleetArea, SpanChoice } from './fleet-area.tsx';
import { fleetChangeText, type FleetNow } from './series.ts';
import classes from './overview-page.module.css';

interface FleetSummaryProps {
  index: FleetIndex;
  hasHistory: boolean;
  hasRollouts: boolean;
  /** The fleet of a day ago, if that is known. */
  before: FleetNow | undefined;
}

export function FleetSummary({ index, hasHistory, hasRollouts, before }: FleetSummaryProps) {
  const figures = useMemo(() => fleetFigures(index), [index]);
  const isOnMap = useMemo(() => index.query({ filter: { place: 'placed' } }).length > 0, [index]);
  return (
    <section className={classes.summary} aria-label="Fleet">
      <div className={classes.head}>
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
            {before && <span className="dim">{fleetChangeText(figures, before, formatCount)}</span>}
          </p>
        </div>
        {hasHistory && <SpanChoice />}
      </div>
      {hasHistory && (
        <div className={classes.chart}>
          <FleetArea hasRollouts={hasRollouts} isOnMap={isOnMap} online={figures.online} offline={figures.offline} />
        </div>
      )}
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
