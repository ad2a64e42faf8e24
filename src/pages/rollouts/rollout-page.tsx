// One rollout: its waves, why it waits or is paused and what can be done, its devices, and what was done.
import { useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Rollout } from '#/contract/rollouts.ts';
import { isMissing } from '#/api/api-error.ts';
import { rolloutQueries, type RolloutAction } from '#/api/rollouts.ts';
import { paths } from '#/paths.ts';
import { formatClock } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, NoDataYet, Skeleton } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { RolloutActions } from './rollout-actions.tsx';
import { RolloutDevices } from './rollout-devices.tsx';
import { RolloutFacts } from './rollout-facts.tsx';
import { RolloutSteps } from './rollout-steps.tsx';
import { paceText } from './pace.ts';
import { rolloutUrl } from './rollout-url.ts';
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

function StoppedText({ rollout }: { rollout: Rollout }) {
  const { zone } = useLook();
  const at = stoppedAt(rollout);
  return `${rollout.State}${at ? ` at ${formatClock(at, zone)}` : ''}: ${rollout.Because}.`;
}

function Found({ rollout }: { rollout: Rollout }) {
  const { Name, State, Counts } = rollout;
  const dialog = useDialog<RolloutAction>('device');
  const [{ failures }, url] = useUrlState(rolloutUrl);
  const left = paceText(rollout, useNow());
  return (
    <Page
      title={Name}
      heading={
        <span className="wrap">
          <bdi>{Name}</bdi> <StateOf words={rolloutWords(rollout)} />
        </span>
      }
      state={rolloutWords(rollout)}
      back={<Link to={paths.rollouts()}>Rollouts</Link>}
      actions={<RolloutActions rollout={rollout} dialog={dialog} />}
    >
      <div className="stack">
        <RolloutFacts rollout={rollout} />
        <Status>
          {State === 'Paused' || State === 'Failed' ? (
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
                }
              }
              fallback={<Skeleton name="the failures" rows={3} />}
            />
          </div>
          <RolloutSteps rollout={rollout} />
        </div>
        <RolloutDevices rollout={rollout} dialog={dialog} />
      </div>
    </Page>
  );
}
