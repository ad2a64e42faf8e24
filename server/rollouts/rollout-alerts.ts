// Alerts about rollouts, queued in the unit of work in which one pauses or ends.
import { queueAlert } from '../store/alert-firing.ts';
import type { Tx } from '../store/database.ts';
import { childDevices } from '../store/jobs.ts';
import { outcomeOf } from '../store/rollout-devices.ts';
import { wavesOf, type RolloutRow } from '../store/rollouts.ts';

export async function alertPaused(tx: Tx, row: RolloutRow, because: string, now: number): Promise<void> {
  const job = (await wavesOf(tx, row.seq)).at(-1)?.job_seq;
  const deviceSeqs = job ? await childDevices(tx, job) : [];
  const text = `The rollout “${row.name}” is paused. ${because}.`;
  await queueAlert(tx, row.account_id, { event: 'RolloutPaused', text, rolloutId: row.id, deviceSeqs }, now);
}

interface RolloutEnd {
  state: 'Succeeded' | 'Failed' | 'Aborted';
  /** The reason; '' if there is none. */
  because: string;
}

const ENDED = { Succeeded: 'succeeded', Failed: 'failed', Aborted: 'was aborted' } as const;

export async function alertEnded(tx: Tx, row: RolloutRow, { state, because }: RolloutEnd, now: number): Promise<void> {
  const { succeeded, deviceSeqs } = await outcomeOf(tx, row);
  const reason = because && `. ${because}`;
  const text = `The rollout “${row.name}” ${ENDED[state]}: ${succeeded} of ${deviceSeqs.length} devices took it${reason}.`;
  await queueAlert(tx, row.account_id, { event: 'RolloutEnded', text, rolloutId: row.id, deviceSeqs }, now);
}
