// What needs a person, the most urgent first: paused rollouts, rollouts that wait for a decision, alerts, new failures, devices
// that wait for approval, limits that are nearly reached and stale queues.
import type { PendingDevice } from '#/contract/enrolment.ts';
import type { FiringAlert } from '#/contract/alerts.ts';
import { waitsForPerson } from '#/api/rollouts.ts';
import type { RolloutSummary } from '#/contract/rollouts.ts';
import { waitingDevices } from '#/api/enrolment.ts';
import { paths } from '#/paths.ts';
import { counted, devicesText, formatCount, formatRoughShare } from '#/lib/format.ts';
import type { JobLine } from './figures.ts';

export interface Need {
  key: string;
  /** The state whose mark precedes it. */
  mark: string;
  text: string;
  detail?: string;
  /** When it began. */
  at?: Date | undefined;
  /** The words of its one action, and where that leads. */
  action: string;
  to: string;
  /** These failures count as seen once the action is taken. */
  isFailures?: boolean;
}

export interface Limit {
  label: string;
  used: number;
  limit: number;
  /** Days until it is reached, if that can be told. */
  days: number | undefined;
  to: string;
}

interface Sources {
  rollouts: readonly RolloutSummary[];
  alerts: readonly FiringAlert[];
  /** The failures of the last day. */
  failed: readonly JobLine[];
  /** When this person looked at the failures last, in milliseconds since the epoch; 0 if never. */
  seenAt: number;
  /** Devices that ask to join. */
  pending: readonly PendingDevice[];
  limits: readonly Limit[];
  /** Devices with stale jobs in their queues. */
  stale: number;
}

/** The service says so in its reason; a rollout may also wait for its maintenance window. */
const waitsForApproval = (rollout: RolloutSummary) => rollout.State === 'Waiting' && waitsForPerson(rollout);

const timeOf = (text: string): Date | undefined => (Number.isNaN(Date.parse(text)) ? undefined : new Date(text));

const rolloutNeed = (rollout: RolloutSummary, mark: string, state: string, action: string): Need => ({
  key: rollout.RolloutId,
  mark,
  text: `${rollout.Name} ${state}`,
  detail: rollout.Because,
  action,
  to: paths.rollout(rollout.RolloutId),
});

function failureNeeds(failed: readonly JobLine[], seenAt: number): Need[] {
  const fresh = failed.filter(({ at }) => at === undefined || at.getTime() > seenAt);
  const [latest] = fresh;
  if (!latest) return [];
  const { job, detail, at } = latest;
  const isOne = fresh.length === 1;
  const names = [...new Set(fresh.map(({ job: { JobName, JobId } }) => JobName || JobId))];
  return [
    {
      key: 'failures',
      mark: 'Failed',
      text: isOne
        ? names[0]!
        : `${counted(fresh.length, 'job')} failed${seenAt > 0 ? ' since you last looked' : ' in 24 h'}`,
      detail: isOne ? detail : names.slice(0, 3).join(', ') + (names.length > 3 ? ' …' : ''),
      at,
      action: isOne ? 'Open the job' : 'See the failures',
      to: isOne ? paths.job(job.JobId) : paths.jobs({ state: 'bad', within: '24' }),
      isFailures: true,
    },
  ];
}

/** Devices that may be copies of others are named, because approving one takes the other's place. */
function pendingNeeds(pending: readonly PendingDevice[]): Need[] {
  const waiting = waitingDevices(pending);
  if (waiting.length === 0) return [];
  const clones = waiting.filter(({ Because }) => Because === 'PossibleClone').length;
  const [one] = waiting;
  return [
    {
      key: 'pending',
      mark: clones > 0 ? 'Interrupted' : 'Waiting',
      text:
        waiting.length === 1 && one
          ? `${one.DeviceName} is waiting for approval`
          : `${devicesText(waiting.length)} are waiting for approval`,
      ...(clones > 0 && { detail: clones === 1 ? 'One may be a clone' : `${formatCount(clones)} may be clones` }),
      at: timeOf(waiting.at(-1)?.FirstSeenTime ?? ''),
      action: 'Review',
      to: paths.enrolment(),
    },
  ];
}

const limitNeed = ({ label, used, limit, days, to }: Limit): Need => ({
  key: label,
  mark: 'Interrupted',
  text: used >= limit ? `${label}: all used` : `${label}: ${formatRoughShare(used / limit)} used`,
  ...(used < limit &&
    days !== undefined &&
    Number.isFinite(days) && { detail: `Full in about ${counted(days, 'day')}` }),
  action: 'Make room',
  to,
});

export function needsOf({ rollouts, alerts, failed, seenAt, pending, limits, stale }: Sources): Need[] {
  return [
    ...rollouts
      .filter(({ State }) => State === 'Paused')
      .map((rollout) => rolloutNeed(rollout, 'Interrupted', 'is paused', 'Decide')),
    ...rollouts
      .filter(waitsForApproval)
      .map((rollout) => rolloutNeed(rollout, 'Waiting', 'waits for you', 'Start the next wave')),
    // A silenced alert has been taken care of.
    ...alerts
      .filter(({ Silence }) => !Silence)
      .map(({ RuleId, Rule, Text, Since, Devices }) => ({
        key: `alert ${RuleId}`,
        mark: 'Failed',
        // Of a single device the text says only what is wrong.
        text: Text && Devices.length === 1 ? `${Devices[0]?.DeviceName}: ${Text}` : Text || Rule,
        ...(Text && { detail: Rule }),
        at: timeOf(Since),
        action: 'See the alert',
        to: paths.alerts(),
      })),
    ...failureNeeds(failed, seenAt),
    ...pendingNeeds(pending),
    ...limits.map(limitNeed),
    ...(stale > 0
      ? [
          {
            key: 'stale',
            mark: 'Waiting',
            text: `${devicesText(stale)} with stale jobs in ${stale === 1 ? 'its queue' : 'their queues'}`,
            action: 'Clean up',
            to: paths.queues({ stale: 'any' }),
          },
        ]
      : []),
  ];
}
