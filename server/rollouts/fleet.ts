// What rollouts need of the fleet that they change: ours, or that of another service behind its API. Whatever takes `tx` is
// a part of the rollout's own unit of work, and waits for no network.
import type { JobDraft } from '#/contract/job-draft.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import type { Caller } from '../http/caller.ts';
import type { Tx } from '../store/database.ts';
import type { RolloutRow } from '../store/rollouts.ts';

export interface RolloutTarget {
  id: string;
  site: string;
  isOnline: boolean;
}
export type TargetChoice = Pick<RolloutDraft, 'DeviceGroup' | 'TagId' | 'DeviceIds'>;
export type Payload = Pick<RolloutDraft, 'ArtifactId' | 'WorkflowId'>;

/** The job of a wave. */
export interface RolloutJob {
  seq: number;
  id: string;
  name: string;
}

export interface RolloutEnd {
  state: 'Succeeded' | 'Failed' | 'Aborted';
  /** Why; '' where there is nothing to say. */
  because: string;
}

export interface RolloutFleet {
  /** Until when the states of its devices are known: nobody counts as Online for longer. */
  knownUntil(): number;
  /** Whether a rollout can go on at this moment. */
  mayGoOn(row: RolloutRow): boolean;
  /** Throws a Problem if what a rollout would run is not there. */
  requirePayload(accountId: number, payload: Payload): Promise<void>;
  /** The devices that are chosen at this moment; a Problem if there are none. */
  targets(accountId: number, choice: TargetChoice): Promise<RolloutTarget[]>;
  /** The artifact itself, and all that were uploaded before it, the newest first. */
  artifactsUntil(accountId: number, id: string): Promise<{ id: string; name: string; version: string }[]>;
  /** Submits the job of a wave; returns its seq. */
  submit(
    tx: Tx,
    caller: Caller,
    job: Pick<JobDraft, 'Name' | 'ArtifactId' | 'WorkflowId'> & { DeviceIds: string[] },
  ): Promise<number>;
  /** Tries again on these devices of a job, as further attempts. */
  retry(tx: Tx, caller: Caller, job: RolloutJob, deviceIds: string[]): Promise<void>;
  /** Cancels what waits of the job of a wave, or of a device in it; what a device has goes on. */
  cancel(tx: Tx, job: Pick<RolloutJob, 'seq'> & { parentSeq: number | null }): Promise<void>;
  /** Tells people that a rollout has paused by itself. */
  tellPaused(tx: Tx, row: RolloutRow, because: string): Promise<void>;
  /** And that it has ended, by itself or by a person. */
  tellEnded(tx: Tx, row: RolloutRow, end: RolloutEnd): Promise<void>;
}
