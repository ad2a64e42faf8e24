// Estimates how long the rest of a rollout will take, from the pace of its waves so far.
import type { Rollout, RolloutWave } from '#/contract/rollouts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { leftText } from '#/features/jobs/time-left.ts';
import { failuresIn } from './rollout-words.ts';

const MINUTE = 60_000;
/** Devices of the first wave that must have ended before there is an estimate. */
const ENOUGH = 3;

const at = (text: string) => parseTimestamp(text)?.getTime();
const median = (values: readonly number[]) => values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)];

function durationOf({ StartTime, EndTime }: RolloutWave): number | undefined {
  const [start, end] = [at(StartTime), at(EndTime)];
  return start === undefined || end === undefined ? undefined : end - start;
}

interface PaceLeft {
  /** Milliseconds until the current wave can pass. */
  wave: number;
  /** Until all waves have passed; undefined if waves wait for approval or a window. */
  all: number | undefined;
}

/**
 * All devices of a wave run at once, so its size does not matter: the next waves are expected to take as long as those
 * that have passed. The first is estimated from the devices that have ended. Undefined if nothing is running.
 */
function paceLeft(
  { State, Waves, Settings }: Pick<Rollout, 'State' | 'Waves' | 'Settings'>,
  now: Date,
): PaceLeft | undefined {
  const current = Waves.find((wave) => wave.State === 'Running');
  const began = current && at(current.StartTime);
  if (State !== 'Running' || !current || began === undefined) return undefined;
  const { Gate, Counts } = current;
  const elapsed = Math.max(0, now.getTime() - began);
  const online = Settings.Gate.OnlineMinutes * MINUTE;
  const usual = median(Waves.flatMap((wave) => durationOf(wave) ?? []));
  const missing = Gate.Needed - Gate.Success;
  let wave: number | undefined;
  const back = at(Gate.BackTime);
  if (missing <= 0) wave = back === undefined ? undefined : Math.max(0, back - now.getTime());
  else if (usual !== undefined && usual > elapsed) wave = usual - elapsed;
  else {
    const ended = Gate.Success + failuresIn(Counts);
    const isMoving = (Counts['Running'] ?? 0) > 0;
    if (isMoving && ended >= Math.min(ENOUGH, Gate.Needed)) wave = (elapsed / ended) * missing + online;
  }
  if (wave === undefined) return undefined;
  const isFree = Settings.Advance === 'auto' && Settings.Windows.length === 0;
  const ahead = Waves.filter((each) => each.State === 'Pending').length;
  return { wave, all: isFree ? wave + ahead * (usual ?? elapsed + wave) : undefined };
}

/** "about 6 minutes left in this wave, about 25 minutes in all" */
export function paceText(rollout: Pick<Rollout, 'State' | 'Waves' | 'Settings'>, now: Date): string | undefined {
  const left = paceLeft(rollout, now);
  if (!left) return undefined;
  const isLast = !rollout.Waves.some(({ State }) => State === 'Pending');
  if (isLast) return `${leftText(left.wave)} left`;
  return `${leftText(left.wave)} left in this wave${left.all === undefined ? '' : `, ${leftText(left.all)} in all`}`;
}
