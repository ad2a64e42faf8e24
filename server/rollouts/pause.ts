// Pauses a rollout on the service's own decision: records the reason and alerts people.
import type { Rollout } from '#/contract/rollouts.ts';
import type { Tx } from '../store/database.ts';
import { noteStep, applyStep, type RolloutRow } from '../store/rollouts.ts';
import { alertPaused } from './rollout-alerts.ts';

const BY_PERSON = 'A person paused it';
export const NOT_PERMITTED =
  'Whoever started it may no longer deploy to these devices. Somebody who may can resume it in their own name';

/** What a person's pause changes. */
export const PAUSED_BY_PERSON = { state: 'Paused', because: BY_PERSON } as const;

/** What paused a rollout. */
export const pausedBy = ({ because }: Pick<RolloutRow, 'because'>): NonNullable<Rollout['Paused']>['By'] =>
  because === BY_PERSON ? 'Person' : because === NOT_PERMITTED ? 'Rights' : 'Gate';

export async function pauseRollout(
  tx: Tx,
  row: RolloutRow,
  { because, at }: { because: string; at: number },
): Promise<void> {
  await applyStep(tx, row, { state: 'Paused', because });
  await noteStep(tx, row, { at, actor: '', text: `Paused. ${because}`, reason: '' });
  await alertPaused(tx, row, because, at);
}
