// One rollout: its waves, why it waits or is paused and what can be done, its devices, and what was done.
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Rollout } from '#/contract/rollouts.ts';
import { isMissing } from '#/api/api-error.ts';
import { rolloutQueries, type RolloutAction } from '#/api/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { Empty, NoDataYet } from '#/ui/page/view.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { RolloutActions } from './rollout-actions.tsx';
import { RolloutDevices } from './rollout-devices.tsx';
import { paceText } from './pace.ts';
import { rolloutUrl } from './rollout-url.ts';
import { failuresIn, nowText, rolloutWords } from './rollout-words.ts';
import { WaveLanes } from './wave-lanes.tsx';
import classes from './rollouts.module.css';

const RolloutFailures = lazyPart(() => import('./rollout-failures.tsx'), 'RolloutFailures');

export function RolloutPage() {
  const { id = '' } = useParams();
  const rollout = useQuery(rolloutQueries.one(id));
  if (rollout.data) return <Found rollout={rollout.data} />;
  return (
    <Page title="Rollout" back={<Link to={paths.rollouts()}>Rollouts</Link>}>
      {isMissing(rollout.error) ? (
        <Empty title="There is no such rollout" next={{ label: 'All rollouts', to: paths.rollouts() }}>
          It may have been deleted.
        </Empty>
      ) : (
        <NoDataYet query={rollout} name="the rollout" />
      )}
    </Page>
  );
}

function Found({ rollout }: { rollout: Rollout }) {
  const { Name, State, Because, Waves, Counts } = rollout;
  const dialog = useDialog<RolloutAction>('device');
  const [{ failures }, url] = useUrlState(rolloutUrl);
  const left = paceText(rollout, useNow());
  const { label, mark } = rolloutWords(State);
  return (
    <Page
      title={Name}
      heading={
        <span className="wrap">
          <bdi>{Name}</bdi> <StateMark state={mark} label={label} />
        </span>
      }
      back={<Link to={paths.rollouts()}>Rollouts</Link>}
      actions={<RolloutActions rollout={rollout} dialog={dialog} />}
    >
      <div className="stack">
        <Status>
          {State === 'Paused' || State === 'Failed' ? (
            <p className={classes.because}>
              <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
              {Because}.
            </p>
          ) : (
            <p className={classes.now}>
              {nowText(rollout)}
              {left && <span className="dim"> {left}.</span>}
            </p>
          )}
        </Status>
        <WaveLanes waves={Waves} isPaused={State === 'Paused'} to={(wave, state) => url.to({ wave, state })} />
        <RolloutFailures
          open={
            failuresIn(Counts) > 0 && {
              waves: Waves,
              opened: failures,
              onOpen: (id) => url.set({ failures: id }),
            }
          }
        />
        <Facts rollout={rollout} />
        <Steps rollout={rollout} />
        <RolloutDevices rollout={rollout} dialog={dialog} />
      </div>
    </Page>
  );
}

function Facts({ rollout: { Settings, CreatedTime, EndTime, State, ArtifactId } }: { rollout: Rollout }) {
  const { Gate, PauseAfter, Advance, StartTime, Windows } = Settings;
  const { FailedCount, FailedPercent = 0 } = PauseAfter;
  const most = FailedCount ?? FailedPercent;
  const failures = `${formatCount(most)}${FailedCount === undefined ? ' %' : ''}`;
  return (
    <div className={classes.facts}>
      <span>
        Created <Timestamp text={CreatedTime} />
      </span>
      {EndTime && (
        <span>
          Ended <Timestamp text={EndTime} />
        </span>
      )}
      {StartTime && State === 'Scheduled' && (
        <span>
          Begins <Timestamp text={StartTime} ahead />
        </span>
      )}
      <span>
        A wave passes with {formatCount(Gate.SuccessPercent)} % succeeded
        {Gate.OnlineMinutes > 0 && ` and Online for ${formatCount(Gate.OnlineMinutes)} min`}, within{' '}
        {formatCount(Gate.TimeoutMinutes)} min
      </span>
      <span>{most === 0 ? 'Pauses at the first failure' : `Pauses after more than ${failures} failed`}</span>
      <span>{Advance === 'confirm' ? 'A person begins each wave' : 'Waves begin by themselves'}</span>
      {Windows.map(({ Days, From, To, Zone }) => (
        <span key={`${Days.join()} ${From} ${Zone}`}>
          Only {Days.join(', ')} {From}–{To} ({Zone})
        </span>
      ))}
      {ArtifactId && <Link to={paths.artifact(ArtifactId)}>Artifact</Link>}
    </div>
  );
}

/** Steps that are shown before somebody asks for all. */
const FIRST = 8;

function Steps({ rollout: { Steps: steps } }: { rollout: Rollout }) {
  const [all, setAll] = useState(false);
  const shown = all ? steps : steps.slice(0, FIRST);
  return (
    <Section title="What was done">
      <ol className={classes.steps} aria-label="What was done">
        {shown.map(({ Time, Actor, ActorName, Text, Reason }, at) => (
          <li key={steps.length - at}>
            <span className="dim">
              <Timestamp text={Time} />
            </span>
            <span>
              {Text}
              {Actor && <span className="dim">, {ActorName || Actor}</span>}
              {Reason && <>: {Reason}</>}
            </span>
          </li>
        ))}
      </ol>
      {shown.length < steps.length && (
        <Button size="xs" onClick={() => setAll(true)}>
          Show all {formatCount(steps.length)}
        </Button>
      )}
    </Section>
  );
}
