// Pauses a rollout on the service's own decision: records the reason and alerts people.
import type { Tx } from '../store/database.ts';
import { noteStep, applyStep, type RolloutRow } from '../store/rollouts.ts';
import { alertPaused } from './rollout-alerts.ts';

export async function pauseRollout(
  tx: Tx,
  row: RolloutRow,
  { because, at }: { because: string; at: number },
): Promise<void> {
  await applyStep(tx, row, { state: 'Paused', because });
  await noteStep(tx, row, { at, actor: '', text: `Paused. ${because}`, reason: '' });
  await alertPaused(tx, row, because, at);
}
