// The situation of a rollout, for decide.ts.
import type { Reader } from '../store/database.ts';
import { countWave } from '../store/rollout-devices.ts';
import { settingsOf, wavesOf, type RolloutRow } from '../store/rollouts.ts';
import type { RolloutSituation } from './decide.ts';
import { figuresOf } from './figures.ts';

const MINUTE = 60_000;
const NONE = { devices: 0, success: 0, back: 0, failed: 0, away: 0 };

export async function situationOf(db: Reader, row: RolloutRow, now: number): Promise<RolloutSituation> {
  const { Gate, PauseAfter, Advance, Windows = [], StartTime } = settingsOf(row);
  const waves = await wavesOf(db, row.seq);
  const wave = waves.at(-1);
  const figures = wave && figuresOf(await countWave(db, row, wave, now - Gate.OnlineMinutes * MINUTE));
  return {
    settings: { Gate, PauseAfter, Advance, windows: Windows, start: (StartTime && Date.parse(StartTime)) || undefined },
    state: row.state,
    now,
    waves: row.waves,
    wave: row.wave,
    began: wave?.began ?? now,
    isPassed: wave?.passed !== null && wave !== undefined,
    figures: figures ?? NONE,
    forgiven: wave?.forgiven ?? 0,
    isConfirmed: row.confirmed === 1,
  };
}
