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
            <Sentence total={index.size} figures={figures} />
          </p>
          <p className={classes.split}>
            {figures.offline > 0 && (
              <Link to={paths.devices({ state: 'offline' })}>
                <StateMark state="Offline" label={`${formatCount(figures.offline)} offline`} />
              </Link>
            )}
            {figures.isNew > 0 && (
              <Link to={paths.devices({ state: 'notconnected' })}>
                <StateMark state="NotConnected" label={`${formatCount(figures.isNew)} not connected yet`} />
              </Link>
            )}
            {figures.others.map(({ state, count }) => (
              <Link key={state} to={paths.devices({ state })}>
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

/** Of the devices that have connected: the others are named beside it. */
function Sentence({ total: all, figures }: { total: number; figures: ReturnType<typeof fleetFigures> }): ReactNode {
  const { online, isNew, others } = figures;
  if (all === 0) return 'No devices yet';
  const total = all - isNew;
  if (total === 0)
    return (
      <>
        <Link to={paths.devices()}>{devicesText(all)}</Link>, none connected yet
      </>
    );
  const areOnline = (
    <>
      <Link to={paths.devices(isNew > 0 ? { state: ['online', 'offline', ...others.map(({ state }) => state)] } : {})}>
        {devicesText(total)}
      </Link>{' '}
      {total === 1 ? 'is' : 'are'} online
    </>
  );
  if (online === total) return <StateMark state="Online" label={total === 1 ? areOnline : <>All {areOnline}</>} />;
  return (
    <>
      <Link to={paths.devices({ state: 'online' })}>{formatCount(online)}</Link> of {areOnline}
    </>
  );
}
