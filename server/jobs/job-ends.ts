// Stops and deletes jobs, one at a time or many in one unit of work.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, Submitter } from '../store/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { Database, Reader, Tx } from '../store/database.ts';
import { askToStop, cancelWaiting, deleteJob, refreshParents, withParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { assignedDevicesOf } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { scopeOf } from '../store/scope.ts';
import { NOT_STARTED } from './assignment.ts';
import { steeredJob } from './targets.ts';

/** Throws to refuse the change of a job; `db` reads its current state. */
export type MayChange = (row: JobRow, isAssigned: boolean, db: Reader) => Promise<void>;

interface Stopped {
  Cancelled: number;
  Stopping: number;
}

export interface JobEnds {
  /**
   * Deletes a job: a running one after stopping it, a parent with its children. `mayRemove` is called in the first unit
   * of work, and throws to refuse.
   */
  remove(caller: Submitter, jobId: string, mayRemove: MayChange): Promise<void>;
  /**
   * Stops a running job and cancels a waiting one, or all children of a parent. The request is durable when this
   * resolves: an offline agent gets it when it reconnects. `mayStop` throws to refuse.
   */
  stop(caller: Submitter, jobId: string, mayStop: MayChange): Promise<Stopped>;
  /** `stop` within a unit of work, inside `withParents`. */
  stopIn(tx: Tx, caller: Actor, row: JobRow, assigned: number[], parents: TouchedParents): Promise<Stopped>;
  /**
   * `remove` within a unit of work. False if agents are working on the job and were asked to stop it: call
   * `removeStoppedIn` in another unit, after `untilStopped`.
   */
  removeIn(tx: Tx, caller: Actor, row: JobRow, assigned: number[], parents: TouchedParents): Promise<boolean>;
  removeStoppedIn(tx: Tx, caller: Actor, row: JobRow, parents: TouchedParents): Promise<void>;
  /** Resolves when no connected agent is working on these jobs or their children any more, or after a time limit. */
  untilStopped(jobSeqs: number[]): Promise<void>;
}

/** How long a delete waits for a running job to stop. An agent that takes longer is made to forget the job. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 50;

export function openJobEnds({ db, audit, now }: { db: Database; audit: Audit; now: () => number }): JobEnds {
  /** Cancels a waiting job and waiting children, and asks agents to stop the ones that they are working on. */
  const halt = async (tx: Tx, row: JobRow, assigned: number[], parents: TouchedParents): Promise<Stopped> => {
    const isParent = row.device_seq === null;
    const job = { seq: row.seq, parentSeq: row.parent_seq, isParent };
    const at = now();
    // A parent whose children are all cancelled has ended, so there is nothing to stop.
    const own: TouchedParents = isParent ? new Map() : parents;
    const Cancelled = await cancelWaiting(tx, job, { at, reason: NOT_STARTED }, own);
    if (isParent) await refreshParents(tx, own);
    const Stopping = Cancelled > 0 && !isParent ? 0 : await askToStop(tx, job, at);
    tx.syncAgents(...assigned);
    return { Cancelled, Stopping };
  };

  const removeNow = async (tx: Tx, caller: Actor, row: JobRow, parents: TouchedParents): Promise<void> => {
    await deleteJob(tx, { seq: row.seq, parentSeq: row.parent_seq }, parents);
    await audit.record(tx, caller, 'job.remove', row.id, row.name);
  };

  const ends: JobEnds = {
    stopIn: async (tx, caller, row, assigned, parents) => {
      const done = await halt(tx, row, assigned, parents);
      if (done.Cancelled + done.Stopping > 0) await audit.record(tx, caller, 'job.stop', row.id);
      return done;
    },

    removeIn: async (tx, caller, row, assigned, parents) => {
      if (assigned.length === 0) {
        await removeNow(tx, caller, row, parents);
        return true;
      }
      await halt(tx, row, assigned, parents);
      return false;
    },

    removeStoppedIn: removeNow,

    untilStopped: async (jobSeqs) => {
      const until = performance.now() + STOP_TIMEOUT_MS;
      for (const seq of jobSeqs)
        while (performance.now() < until && (await assignedDevicesOf(db, seq)).length > 0) await sleep(STOP_POLL_MS);
    },

    remove: async (caller, jobId, mayRemove) => {
      const essential = true;
      const stopping = await db.write(
        async (tx) => {
          const row = await steeredJob(tx, scopeOf(caller), jobId, 'records');
          const assigned = await assignedDevicesOf(tx, row.seq);
          await mayRemove(row, assigned.length > 0, tx);
          const isRemoved = await withParents(tx, (parents) => ends.removeIn(tx, caller, row, assigned, parents));
          return isRemoved ? undefined : row;
        },
        { essential },
      );
      if (!stopping) return;
      await ends.untilStopped([stopping.seq]);
      await db.write((tx) => withParents(tx, (parents) => removeNow(tx, caller, stopping, parents)), { essential });
    },

    stop: (caller, jobId, mayStop) =>
      db.write(
        async (tx) => {
          const row = await steeredJob(tx, scopeOf(caller), jobId, 'live');
          const assigned = await assignedDevicesOf(tx, row.seq);
          await mayStop(row, assigned.length > 0, tx);
          return withParents(tx, (parents) => ends.stopIn(tx, caller, row, assigned, parents));
        },
        { essential: true },
      ),
  };
  return ends;
}
