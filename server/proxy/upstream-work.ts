// Carries the rollouts of a gateway on: reads what the service knows, and sends it the jobs that are noted. A job is noted
// as sent before it is; after a cut answer or a crash it is looked for by its name, and sent again only if the service
// certainly does not have it. Where that cannot be known, the rollout pauses and a person decides.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { Problem } from '../http/problem.ts';
import { logThrottled } from '../operation/log.ts';
import type { RolloutFleet } from '../rollouts/fleet.ts';
import { pauseRollout } from '../rollouts/pause.ts';
import type { Database } from '../store/database.ts';
import { openRollouts, rolloutById } from '../store/rollouts.ts';
import {
  answeredJobs,
  jobsToSend,
  noteAsked,
  noteCut,
  noteJobId,
  noteNotSent,
  noteOutcome,
  noteSent,
  pendingJobs,
  removeForgottenJobs,
  type UpstreamJob,
} from '../store/upstream-jobs.ts';
import { UpstreamFailure, type UpstreamApi } from './upstream-api.ts';
import type { LastLook } from './upstream-fleet.ts';
import type { UpstreamIdentity } from './upstream-identity.ts';
import { lookUpstream } from './upstream-look.ts';

export interface WorkTimes {
  /** Between two looks while a wave runs. */
  lookMs: number;
  /** A look takes at most one part in so many of the time. */
  lookTimes: number;
  /** After a cut answer the service may still be working on it: only then is a job missing that is not listed. */
  settleMs: number;
}
export const WORK_TIMES: WorkTimes = { lookMs: 5_000, lookTimes: 20, settleMs: 120_000 };
/** While no wave runs: jobs that still wait for their devices. */
const SELDOM_MS = 300_000;
const MOST_BACKOFF_MS = 300_000;
const AT_ONCE = 4;
const MOST_AT_A_TIME = 500;
/** Jobs to compare a list with. */
const COMPARED = 200;

interface WorkOptions {
  api: UpstreamApi;
  db: Database;
  now: () => number;
  steady: () => number;
  identity: Pick<UpstreamIdentity, 'operator'>;
  fleet: RolloutFleet;
  last: LastLook;
  /** Decides what is next. */
  run: () => Promise<void>;
  times: WorkTimes;
}

export function openUpstreamWork(options: WorkOptions): { look: () => Promise<void>; send: () => Promise<void> } {
  const { api, db, now, steady, identity, fleet, last, run, times } = options;
  const inFlight = new Set<number>();
  /** Connections of an earlier process ended before, at an unknown time. */
  const opened = now();
  let looked = Number.NEGATIVE_INFINITY;
  let pace = times.lookMs;
  let failures = 0;

  const pause = (account: number, id: string, because: string) =>
    db.write(async (tx) => {
      const row = await rolloutById(tx, account, id);
      if (['Scheduled', 'Running', 'Waiting'].includes(row.state))
        await pauseRollout(tx, row, { because, at: now(), fleet });
    });

  const settle = async (account: number, unclear: UpstreamJob[], listed: Map<string, Job>, at: number) => {
    // The list tells something if it shows other jobs of rollouts, each under the name that it was given.
    const shown = (await answeredJobs(db, account, COMPARED)).filter(({ id }) => listed.has(id));
    const isReliable = shown.length > 0 && shown.every(({ id, name }) => listed.get(id)?.JobName === name);
    for (const { seq, name, sent, cancel, asked, rollout, rollout_state: state } of unclear) {
      if (at - Math.max(sent ?? 0, opened) < times.settleMs) continue;
      // After the pause, it is a person who let it go on.
      const isResumed = asked === 1 && state !== 'Paused';
      if (isReliable || cancel === 1 || isResumed) await db.write((tx) => noteNotSent(tx, seq, at));
      else if (asked === 0) {
        await db.write((tx) => noteAsked(tx, seq));
        await pause(
          account,
          rollout,
          `Whether ${api.host} has the job “${name}” is not known: its answer was cut off. If it is not there, resume, and it is sent again; if it is, leave its device out`,
        );
      }
    }
  };

  const fail = async (cause: unknown) => {
    last.failed = true;
    failures += 1;
    pace = Math.max(api.pause(), Math.min(MOST_BACKOFF_MS, times.lookMs * 2 ** failures));
    if (!(cause instanceof Problem)) throw cause;
    logThrottled('rollouts', 'warn', 'Rollouts wait for the service behind.', { reason: cause.message });
    const { account } = last;
    if (!(cause instanceof UpstreamFailure) || cause.meaning !== 'signed-out' || account === undefined) return;
    for (const { id, account_id } of await openRollouts(db))
      if (account_id === account) await pause(account, id, `${api.host} refuses UPSTREAM_TOKEN`);
  };

  const isDue = async (): Promise<boolean> => {
    const rollouts = await openRollouts(db);
    const jobs = await pendingJobs(db);
    if (rollouts.length === 0 && jobs.open === 0) return false;
    const isUrgent = rollouts.some(({ wave }) => wave >= 0) || jobs.unclear > 0 || failures > 0;
    return steady() - looked >= (isUrgent ? pace : SELDOM_MS);
  };
  const runOn = () => run().catch(fail);

  return {
    look: async () => {
      if (!(await isDue())) return last.failed ? undefined : runOn();
      const began = (looked = steady());
      try {
        const account = (last.account = (await identity.operator()).id);
        const at = now();
        const { unclear, listed } = await lookUpstream({ api, db }, account, {
          at,
          isInFlight: (seq) => inFlight.has(seq),
        });
        await settle(account, unclear, listed, at);
        await db.write(removeForgottenJobs);
        Object.assign(last, { at, failed: false });
        failures = 0;
        pace = Math.max(times.lookMs, (steady() - began) * times.lookTimes);
      } catch (cause) {
        return fail(cause);
      }
      return runOn();
    },

    send: async () => {
      const { account } = last;
      if (account === undefined || last.failed || api.pause() > 0) return;
      const jobs = (await jobsToSend(db, account, MOST_AT_A_TIME)).values();
      let isOver = false;
      const sendSome = async () => {
        for (const job of jobs) {
          if (isOver) return;
          isOver = !(await sendOne(job)) || isOver;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
    },
  };

  /** Returns whether more can be sent. */
  async function sendOne({ seq, name, device_id, payload }: UpstreamJob): Promise<boolean> {
    inFlight.add(seq);
    try {
      if (!(await db.write((tx) => noteSent(tx, seq, now())))) return true;
      const what = JSON.parse(payload) as { ArtifactId: string } | { WorkflowId: string };
      const { JobId } = await api.call(jobEndpoints.submit, { body: { Name: name, DeviceId: device_id, ...what } });
      // Without an id it is looked for by its name.
      if (JobId) await db.write((tx) => noteJobId(tx, seq, JobId));
      return true;
    } catch (cause) {
      if (!(cause instanceof UpstreamFailure)) throw cause;
      const { meaning, message, detail } = cause;
      if (meaning === 'refused') {
        const because = [message, detail].filter(Boolean).join(': ').slice(0, 500);
        await db.write((tx) => noteOutcome(tx, seq, { status: 'Failed', because, ended: now() }));
        return true;
      }
      const note = meaning === 'unknown' ? noteCut : noteNotSent;
      await db.write((tx) => note(tx, seq, now()));
      await fail(cause);
      return false;
    } finally {
      inFlight.delete(seq);
    }
  }
}
