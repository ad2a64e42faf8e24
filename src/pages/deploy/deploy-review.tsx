// The review before a deploy: exactly which devices, which of them will wait and for what, what ran there before, and what
// will run now.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Device } from '#/contract/devices.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { useOffered } from '#/api/capabilities.ts';
import { UNFINISHED_JOBS } from '#/api/job-pages.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { earlierRunQueries, type EarlierRuns } from '#/features/jobs/earlier-runs.ts';
import { queueQueries } from '#/features/job-queue/queues.ts';
import { VERDICTS, countVerdicts } from '#/features/jobs/verdict.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Failure, NoDataYet, Skeleton } from '#/ui/page/view.tsx';
import { aheadOf } from './ahead.ts';
import type { DeployChoice } from './deploy-choice.ts';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { noDevicesText } from './deploy-form.ts';
import { sizeText } from './deploy-what.tsx';
import { Overlaps, QueueAhead } from './queue-ahead.tsx';
import { ReviewDevices } from './review-devices.tsx';
import { ReviewWaves } from './review-waves.tsx';
import type { DeployTargets } from './use-deploy-targets.ts';
import type { Payload, usePayload } from './use-payload.ts';
import { useWavePlan } from './use-wave-plan.ts';
import { reviewedWaves, waveNumbers } from './wave-review.ts';
import classes from './deploy.module.css';

/** Online first, then Offline, and any other status of the service. */
function statusCounts(devices: Device[]): [string, number][] {
  const groups = Map.groupBy(devices, ({ DeviceStatus }) => DeviceStatus);
  return Array.from(groups, ([status, { length }]): [string, number] => [status, length]).sort(([one], [two]) =>
    two.localeCompare(one),
  );
}

function waitText(devices: number, away: number): string {
  if (away === 0) return `${devices === 1 ? 'It runs' : 'Each runs it'} as soon as its earlier jobs are done.`;
  if (away < devices)
    return `${devicesText(away)} will wait until online; the others run it as soon as their earlier jobs are done.`;
  return away === 1 ? 'It waits until the device is online.' : 'All wait until they are online.';
}

/** The others of a deploy in waves run it when their wave starts. */
const awayText = (away: number): string => (away === 0 ? '' : `${devicesText(away)} will wait until online.`);

function Devices({ targets, devices, target, payload, isInWaves, draft }: DeployReviewProps & { devices: Device[] }) {
  const hasQueue = useOffered('queue') === true;
  const hasRuns = useOffered('jobs') === true;
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: !!payload && 'artifact' in payload });
  const same = payload && 'artifact' in payload ? sameVersion(payload.artifact, artifacts.data) : [];
  const queues = useQuery({ ...queueQueries.all(), enabled: hasQueue });
  const jobs = useJobs(UNFINISHED_JOBS, { most: 500, enabled: hasQueue });
  const earlier = useQuery({ ...earlierRunQueries.of(same), enabled: hasRuns && same.length > 0 });
  const { plan } = useWavePlan(draft);
  const waves = draft && plan && reviewedWaves(plan);
  if (devices.length === 0)
    return (
      <p className={classes.warning}>
        {noDevicesText(targets)} {targets.name !== undefined && 'The name must match exactly.'}
      </p>
    );
  const away = devices.filter(({ DeviceStatus }) => DeviceStatus !== 'Online').length;
  const payloads = new Set(
    payload && ('workflow' in payload ? [payload.workflow.WorkflowId] : same.map(({ ArtifactId }) => ArtifactId)),
  );
  const ahead = queues.data && aheadOf({ devices, target, payloads }, queues.data, jobs.data);
  return (
    <>
      <p className={classes.figures}>
        <strong>{devicesText(devices.length)}</strong>
        {statusCounts(devices).map(([status, count]) => (
          <StateMark key={status} state={status} label={`${formatCount(count)} ${stateLabel(status).toLowerCase()}`} />
        ))}
      </p>
      {draft && waves && waves.length > 0 && <ReviewWaves draft={draft} waves={waves} devices={devices} />}
      <p className="dim">
        {isInWaves ? awayText(away) : waitText(devices.length, away)}
        {targets.gone > 0 &&
          ` ${devicesText(targets.gone)} of the selection ${targets.gone === 1 ? 'is' : 'are'} gone.`}
      </p>
      {/* Above the long list, so that nobody has to scroll to be warned. */}
      {ahead && <Overlaps ahead={ahead} />}
      <ReviewDevices
        devices={devices}
        waves={waves && waveNumbers(waves)}
        queues={queues.data}
        earlier={earlier.data}
      />
      <p className={classes.asOf}>
        <span className="dim">
          As of <Time at={targets.at} />
        </span>
        <Button size="compact-xs" loading={targets.isFetching} onClick={() => void targets.refetch()}>
          Check again
        </Button>
      </p>
      {hasQueue && <h3>Ahead in the queue</h3>}
      {ahead ? (
        <QueueAhead ahead={ahead} single={devices.length === 1} />
      ) : (
        hasQueue && <NoDataYet query={queues} name="the queues" rows={1} />
      )}
      {hasRuns && same.length > 0 && (
        <>
          <h3>Previous runs of {artifactText(same[0]!)}</h3>
          {earlier.data === undefined ? (
            <NoDataYet query={earlier} name="earlier runs" rows={1} />
          ) : (
            <Before devices={devices} earlier={earlier.data} />
          )}
        </>
      )}
    </>
  );
}

/** The same artifact may have been uploaded more than once. */
const sameVersion = (artifact: Artifact, all: Artifact[] = [artifact]): Artifact[] =>
  artifact.Version === ''
    ? [artifact]
    : all.filter(({ Name, Version }) => Name === artifact.Name && Version === artifact.Version);

function Before({ devices, earlier }: { devices: Device[]; earlier: EarlierRuns }) {
  const last = devices.flatMap(({ DeviceId }) => earlier.get(DeviceId) ?? []);
  if (last.length === 0)
    return <p className="dim">It has not run on {devices.length === 1 ? 'it' : 'any of them'} yet.</p>;
  const counts = countVerdicts(last.map((verdict) => ({ verdict })));
  return (
    <div>
      <p>
        <strong>
          It has run on {devices.length === 1 ? 'it' : `${formatCount(last.length)} of ${devicesText(devices.length)}`}
        </strong>
        , and ended there the last time:
      </p>
      <p className={classes.figures}>
        {VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => (
          <StateMark key={verdict} state={verdict} label={`${formatCount(counts[verdict] ?? 0)} ${verdict}`} />
        ))}
      </p>
    </div>
  );
}

/** Describes the payload in words: the command that downloads an artifact contains a token and is internal to the service. */
function What({ payload }: { payload: Payload }) {
  if ('workflow' in payload)
    return (
      <>
        <p>
          Runs the command of workflow <strong>{payload.text}</strong>:
        </p>
        <pre className={classes.code} tabIndex={0} aria-label="Command of the workflow">
          {payload.workflow.Command}
        </pre>
      </>
    );
  const { artifact } = payload;
  const { IsScript, Destination, RunCommand } = artifact;
  const size = sizeText(artifact) && ` (${sizeText(artifact)})`;
  if (IsScript && Destination && RunCommand)
    return (
      <>
        <p>
          Downloads <strong>{payload.text}</strong>
          {size} to <code className="breakable">{Destination}</code>, makes it executable and runs there:
        </p>
        <pre className={classes.code} tabIndex={0} aria-label="Command of the script">
          {RunCommand}
        </pre>
      </>
    );
  return (
    <p>
      Downloads <strong>{payload.text}</strong>
      {size},{' '}
      {artifact.IsScript
        ? 'makes it executable and runs the command given with it.'
        : 'unpacks it, runs its update.sh, then removes both.'}
    </p>
  );
}

interface DeployReviewProps {
  targets: DeployTargets;
  target: DeployChoice['target'];
  payload: ReturnType<typeof usePayload>;
  isInWaves: boolean;
  /** Undefined unless it is in waves and the service can plan them. */
  draft: RolloutDraft | undefined;
}

export function DeployReview(props: DeployReviewProps) {
  const { targets, payload } = props;
  return (
    <>
      <h3>What</h3>
      {payload ? (
        <What payload={payload} />
      ) : payload === null ? (
        <Skeleton name="what runs" rows={2} />
      ) : (
        <p className="dim">Choose what to run.</p>
      )}
      <h3>Where</h3>
      {targets.label === undefined ? (
        <p className="dim">Choose a target to see which devices get it.</p>
      ) : targets.devices ? (
        <Devices {...props} devices={targets.devices} />
      ) : targets.error ? (
        <Failure what={targets.label} error={targets.error} busy={targets.isFetching} onRetry={targets.refetch} />
      ) : (
        <Skeleton name="the devices" rows={4} />
      )}
    </>
  );
}
