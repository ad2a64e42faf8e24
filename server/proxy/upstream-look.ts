// Reads what became of the jobs of rollouts in the upstream service, and whether their devices are Online.
import type { Device } from '#/contract/devices.ts';
import { jobState } from '#/contract/job-state.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { Database, Tx } from '../store/database.ts';
import { awaitedDevices, forgetDevices, noteDevices, noteUnseen } from '../store/upstream-fleet.ts';
import { noteJobId, noteOutcome, sentJobs, type UpstreamJob } from '../store/upstream-jobs.ts';
import { UpstreamFailure, type UpstreamApi } from './upstream-api.ts';
import { allDevices, oneDevice } from './upstream-devices.ts';
import { seenOf } from './upstream-fleet.ts';

/** So few are read one by one, instead of the list of all. */
const FEW = 5;
/** Of those that a list does not show, so many are read at a look. */
const MOST_READ = 50;

interface LookOptions {
  api: UpstreamApi;
  db: Database;
}

const paramsOf = (id: string | null) => ({ params: { job_id: id ?? '' } });

const noneIfMissing = (cause: unknown): undefined => {
  if (cause instanceof UpstreamFailure && cause.status === 404) return undefined;
  throw cause;
};

/** What a job has come to; `undefined`: the service no longer has it. */
async function noteState(tx: Tx, { seq, status }: UpstreamJob, job: Job | undefined, host: string, at: number) {
  if (!job)
    return void (await noteOutcome(tx, seq, { status: 'Cancelled', because: `It was deleted at ${host}`, ended: at }));
  const state = jobState(job);
  if (state === status) return;
  // Whether an update succeeded is never guessed.
  const outcome =
    state === 'Finished'
      ? { status: 'Failed' as const, verdict: 'NoAnswer' as const, because: `${host} does not say how it ended` }
      : { status: state };
  await noteOutcome(tx, seq, { ...outcome, ended: state === 'Waiting' || state === 'Running' ? null : at });
}

/** The jobs that have not ended. Returns the list of all jobs, if it was read: `wantsList` of it. */
async function followJobs({ api, db }: LookOptions, sent: UpstreamJob[], at: number, wantsList: boolean) {
  const known = sent.filter(({ id }) => id !== null);
  const list = wantsList || known.length > FEW ? await api.call(jobEndpoints.list, { query: {} }) : undefined;
  const listed = new Map(list && !('Version' in list) ? list.map((job) => [job.JobId, job]) : []);
  const found: [UpstreamJob, Job | undefined][] = [];
  let read = 0;
  for (const each of known) {
    const inList = listed.get(each.id ?? '');
    if (inList) found.push([each, inList]);
    else if (read++ < MOST_READ)
      found.push([each, await api.call(jobEndpoints.get, paramsOf(each.id)).catch(noneIfMissing)]);
  }
  await db.write(async (tx) => {
    for (const [each, job] of found) await noteState(tx, each, job, api.host, at);
  });
  return listed;
}

/** Deletes what is to be cancelled, as far as it has not begun. */
async function cancelJobs({ api, db }: LookOptions, sent: UpstreamJob[], at: number): Promise<void> {
  for (const each of sent.filter(({ id, cancel }) => id !== null && cancel === 1).slice(0, MOST_READ)) {
    const read = await api.callTagged(jobEndpoints.get, paramsOf(each.id)).catch(noneIfMissing);
    if (read && jobState(read.data) === 'Waiting') {
      // One that has begun meanwhile is left alone, where the service can tell.
      const ifMatch = read.tag?.startsWith('"') ? read.tag : undefined;
      const isGone = await api.call(jobEndpoints.remove, paramsOf(each.id), ifMatch).then(
        () => true,
        (cause: unknown) => {
          if (cause instanceof UpstreamFailure && cause.status === 412) return false;
          return noneIfMissing(cause) ?? true;
        },
      );
      const because = 'The rollout no longer needs it';
      if (isGone) await db.write((tx) => noteOutcome(tx, each.seq, { status: 'Cancelled', because, ended: at }));
    } else await db.write((tx) => noteState(tx, each, read?.data, api.host, at));
  }
}

/** The devices that a gate waits for. */
async function followDevices({ api, db }: LookOptions, account: number, at: number): Promise<void> {
  const awaited = await awaitedDevices(db, account);
  const seen = awaited.length > FEW ? await allDevices(api) : new Map<string, Device>();
  const unseen = awaited.filter((id) => !seen.has(id));
  const gone: string[] = [];
  for (const id of unseen.slice(0, MOST_READ)) {
    const device = await oneDevice(api, id);
    if (device) seen.set(id, device);
    else gone.push(id);
  }
  await db.write(async (tx) => {
    await noteUnseen(
      tx,
      account,
      awaited.filter((id) => !seen.has(id)),
      at,
    );
    await noteDevices(tx, account, awaited.flatMap((id) => seen.get(id) ?? []).map(seenOf), at);
    await forgetDevices(tx, account, gone);
  });
}

/** One look at all jobs and devices of the rollouts of an account. `unclear`: jobs that the service may have, or not. */
export async function lookUpstream(
  options: LookOptions,
  account: number,
  { at, isInFlight }: { at: number; isInFlight: (seq: number) => boolean },
): Promise<{ unclear: UpstreamJob[]; listed: Map<string, Job> }> {
  const { db } = options;
  const sent = await sentJobs(db, account);
  const lost = sent.filter(({ seq, id }) => id === null && !isInFlight(seq));
  const listed = await followJobs(options, sent, at, lost.length > 0);
  const byName = new Map([...listed.values()].map((job) => [job.JobName, job.JobId]));
  const unclear: UpstreamJob[] = [];
  for (const job of lost) {
    const id = byName.get(job.name);
    if (id) await db.write((tx) => noteJobId(tx, job.seq, id));
    else unclear.push(job);
  }
  await cancelJobs(options, sent, at);
  await followDevices(options, account, at);
  return { unclear, listed };
}
