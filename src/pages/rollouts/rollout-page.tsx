// One rollout: its waves, why it waits or is paused, the actions on it, its devices and its history.
import { useState } from 'react';
import { useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Rollout } from '#/contract/rollouts.ts';
import { isMissing } from '#/api/api-error.ts';
import { rolloutQueries, type RolloutAction } from '#/api/rollouts.ts';
import { OriginLine } from '#/features/audit-link/origin.tsx';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { formatClock, formatCount } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { Empty, NoDataYet, Skeleton } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { DecisionCard } from './decision-card.tsx';
import type { FailureCause } from './rollout-decision.ts';
import { RolloutActions, RolloutDialog } from './rollout-actions.tsx';
import { RolloutPicture } from './rollout-picture.tsx';
import { RolloutDevices, rolloutUrl } from './rollout-devices.tsx';
import { RolloutFacts } from './rollout-facts.tsx';
import { paceText } from './pace.ts';
import { failuresIn, nowText, rolloutWords, stoppedAt } from './rollout-words.ts';
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

/** When it stopped, and why: by default as the service says it. */
function StoppedText({ rollout, reason = `${rollout.Because}.` }: { rollout: Rollout; reason?: string | undefined }) {
  const { zone } = useLook();
  const at = stoppedAt(rollout);
  return `${rollout.State}${at ? ` at ${formatClock(at, zone)}` : ''}: ${reason}`;
}

function Found({ rollout }: { rollout: Rollout }) {
  const { Name, State, Counts } = rollout;
  const dialog = useDialog<RolloutAction>('device');
  const [{ failures, example }, url] = useUrlState(rolloutUrl);
  const [cause, setCause] = useState<FailureCause>();
  const left = paceText(rollout, useNow());
  return (
    <Page
      title={Name}
      heading={
        <span className="wrap">
          <bdi>{Name}</bdi>{' '}
          <span className={classes.state}>
            <StateOf words={rolloutWords(rollout)} />
          </span>
        </span>
      }
      state={rolloutWords(rollout)}
      back={<Link to={paths.rollouts()}>Rollouts</Link>}
      actions={<RolloutActions rollout={rollout} dialog={dialog} />}
    >
      <div className="stack">
        <RolloutFacts rollout={rollout} />
        <Status>
          {State === 'Paused' ? (
            <DecisionCard
              rollout={rollout}
              cause={cause}
              dialog={dialog}
              stopped={(reason) => <StoppedText rollout={rollout} reason={reason} />}
            />
          ) : State === 'Failed' ? (
            <p className={classes.because}>
              <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
              <StoppedText rollout={rollout} />
            </p>
          ) : (
            <p className={classes.now}>{nowText(rollout, left)}</p>
          )}
        </Status>
        <div className={classes.split} data-in-order>
          <div className="stack">
            <WaveLanes rollout={rollout} to={(wave, state) => url.to({ wave, state })} />
            <RolloutFailures
              open={
                failuresIn(Counts) > 0 && {
                  rollout,
                  opened: failures,
                  onOpen: (id) => url.set({ failures: id }),
                  example,
                  onExample: (chosen) => url.set({ example: chosen }),
                  onCause: setCause,
                }
              }
              fallback={<Skeleton name="the failures" rows={2} />}
            />
          </div>
          <RolloutSteps rollout={rollout} />
        </div>
        <RolloutPicture rollout={rollout} />
        <RolloutDevices rollout={rollout} dialog={dialog} />
        <OriginLine object={rollout.RolloutId} />
        <RolloutDialog key={dialog.name} rollout={rollout} dialog={dialog} />
      </div>
    </Page>
  );
}

/** Steps shown before "Show all". */
const SHOWN = 8;

function RolloutSteps({ rollout: { RolloutId, Steps: steps } }: { rollout: Rollout }) {
  const audit = useAuditLink(RolloutId);
  const [all, setAll] = useState(false);
  const shown = all ? steps : steps.slice(0, SHOWN);
  return (
    <Section title="History" actions={audit}>
      <ol className={classes.steps} aria-label="History">
        {shown.map(({ Time, Actor, ActorName, Text, Reason }, at) => (
          <li key={steps.length - at}>
            <span>
              {Text}
              {Reason && <>: {Reason}</>}
            </span>
            <span className="dim">
              {Actor && `${ActorName || Actor}, `}
              <Timestamp text={Time} />
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
