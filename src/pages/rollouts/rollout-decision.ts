// What can be decided about a paused rollout, and what follows from each choice.
import type { Rollout, RolloutDeviceState } from '#/contract/rollouts.ts';
import { minutesText } from '#/contract/rollouts.ts';
import type { RolloutAction } from '#/api/rollouts.ts';
import { devicesText, formatCount } from '#/lib/format.ts';

export interface Choice {
  action: Extract<RolloutAction, 'retry' | 'skip' | 'resume' | 'advance' | 'abort'>;
  label: string;
  consequence: string;
  /** The states of the devices of the wave that it concerns. */
  states?: readonly RolloutDeviceState[];
}

interface RolloutDecision {
  /** Where the wave stands now. */
  text: string;
  /** It also says why the rollout paused. */
  isReason: boolean;
  /** The most likely first. */
  choices: Choice[];
}

const FAILED: readonly RolloutDeviceState[] = ['Failed', 'RolledBack', 'NoAnswer'];
const MISSING: readonly RolloutDeviceState[] = ['NotBack', 'Waiting'];

type Paused = Pick<Rollout, 'Paused' | 'Wave' | 'WaveCount' | 'Waves' | 'Settings'>;

/** Why most devices of a wave failed. */
export interface FailureCause {
  wave: number;
  devices: number;
  /** What they printed. */
  text: string;
}

/** "6 of 24 failed: 4 × registry timed out", or only the figures where no cause of the present failures is known. */
function failedText(failed: number, counting: number, cause: FailureCause | undefined): string {
  const figures = `${formatCount(failed)} of ${formatCount(counting)} failed`;
  if (!cause || cause.devices > failed) return figures;
  return `${figures}: ${cause.devices < failed ? `${formatCount(cause.devices)} × ` : ''}${cause.text}`;
}

/** Undefined unless it is paused. */
export function decisionOf(rollout: Paused, cause?: FailureCause): RolloutDecision | undefined {
  const { Paused, Wave, WaveCount, Waves, Settings } = rollout;
  if (!Paused) return undefined;
  const wave = Waves[Wave - 1];
  const next = Waves[Wave];
  const name = `wave ${Wave}`;
  const isOpen = wave !== undefined && wave.State !== 'Passed';
  const of = (states: readonly RolloutDeviceState[]) =>
    isOpen ? states.reduce((sum, state) => sum + (wave.Counts[state] ?? 0), 0) : 0;
  const failed = of(FAILED);
  const counting = of([...FAILED, ...MISSING, 'Running', 'Succeeded']);
  const left = failed > 0 ? failed : Paused.By === 'Gate' ? of(MISSING) : 0;
  const them = left === 1 ? 'it' : 'them';
  const limit = minutesText(Settings.Gate.TimeoutMinutes);
  const afterPass = !next
    ? 'the rollout ends'
    : Settings.Advance === 'confirm'
      ? `wave ${Wave + 1} waits for approval`
      : `wave ${Wave + 1} starts`;

  const retry: Choice = {
    action: 'retry',
    label: failed === 1 ? 'Retry this one' : `Retry these ${formatCount(failed)}`,
    consequence: `${failed === 1 ? 'It runs' : 'They run'} the job again. If enough succeed, ${name} passes. Its time limit starts over.`,
    states: FAILED,
  };
  const needed = Math.ceil(((counting - left) * Settings.Gate.SuccessPercent) / 100);
  const passes = isOpen && wave.Gate.BackOnline >= needed;
  const skip: Choice = {
    action: 'skip',
    label: `Leave ${them} out`,
    consequence:
      Paused.By !== 'Gate'
        ? `The gate no longer counts ${them}. The rollout stays paused.`
        : passes
          ? `${left === counting ? `No device of ${name} is left: it` : `Wave ${Wave}`} passes without ${them}, and ${afterPass}.`
          : `Wave ${Wave} continues with the other ${devicesText(counting - left)}. Its time limit starts over.`,
    states: failed > 0 ? FAILED : MISSING,
  };
  const resume: Choice = {
    action: 'resume',
    label: 'Resume',
    consequence:
      Paused.By === 'Rights'
        ? 'The rollout continues in your name.'
        : !isOpen
          ? 'The rollout continues where it stopped.'
          : `Wave ${Wave} gets another ${limit}${failed > 0 ? ', and these failures no longer pause it' : ''}.`,
  };
  const advance: Choice = {
    action: 'advance',
    label: next ? `Start wave ${Wave + 1}${isOpen ? ' anyway' : ''}` : 'Finish anyway',
    consequence: next
      ? `${isOpen ? `Wave ${Wave} ends as it is. ` : ''}${devicesText(next.Devices)} follow${next.Devices === 1 ? 's' : ''}${
          Settings.Windows.length > 0 ? ' in the next maintenance window' : ''
        }.`
      : 'The rollout ends as it is.',
  };
  const abort: Choice = {
    action: 'abort',
    label: 'Abort',
    consequence: 'The rollout ends. Waiting jobs are cancelled; running jobs may finish.',
  };
  const canAdvance = Wave > 0 && (isOpen || Wave < WaveCount);
  const person = Paused.By === 'Gate' ? [] : [resume];
  return {
    isReason: isOpen && failed > 0 && Paused.By === 'Gate',
    text: !isOpen
      ? ''
      : failed === 0
        ? `${formatCount(wave.Gate.BackOnline)} of ${formatCount(wave.Gate.Needed)} required in ${name}.`
        : `${failedText(failed, counting, cause?.wave === Wave ? cause : undefined)}. Wave ${Wave} ${
            Paused.CanResume ? `can still pass: ${formatCount(wave.Gate.Needed)} must succeed` : 'cannot pass'
          }.`,
    choices: [
      ...(Paused.CanResume ? person : []),
      ...(failed > 0 ? [retry] : []),
      ...(Paused.CanResume && Paused.By === 'Gate' && failed === 0 ? [resume] : []),
      ...(left > 0 ? [skip] : []),
      ...(Paused.CanResume && Paused.By === 'Gate' && failed > 0 ? [resume] : []),
      ...(canAdvance ? [advance] : []),
      abort,
    ],
  };
}
