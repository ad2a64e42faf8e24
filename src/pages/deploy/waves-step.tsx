// The step of a deploy that sends it in waves: which devices each wave has, what starts the next wave, and when to pause.
import { Gate } from '#/ui/controls/gate.tsx';
import '#/ui/form/checkbox.css';
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { ZoneNote } from '#/features/time-zones/zone-note.tsx';
import { WholeNumber } from '#/ui/form/whole-number.tsx';
import type { Device } from '#/contract/devices.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { wavePercentFault, withNewWave, type RolloutSettings, type WaveRow } from './rollout-settings.ts';
import { useWavePlan } from './use-wave-plan.ts';
import { WaveBar } from './wave-bar.tsx';
import { WindowList } from './window-list.tsx';
import classes from './deploy.module.css';

interface WavesStepProps {
  settings: RolloutSettings;
  /** Whether devices can join the target later. */
  isOpenTarget: boolean;
  devices: readonly Device[];
  /** Undefined while the service cannot plan it yet. */
  draft: RolloutDraft | undefined;
  onChange: (settings: RolloutSettings) => void;
}

const KINDS = [
  { value: 'percent', label: 'Percent of all, so far' },
  { value: 'count', label: 'Number of devices' },
  { value: 'chosen', label: 'Chosen devices' },
];

export function WavesStep({ settings, isOpenTarget, devices, draft, onChange }: WavesStepProps) {
  const set = (change: Partial<RolloutSettings>) => onChange({ ...settings, ...change });
  const { waves, failed } = settings;
  const fault = wavePercentFault(waves);
  const planned = useWavePlan(draft);
  const chosen = waves.flatMap((wave, at) => (wave.kind === 'chosen' ? { text: wave.text, at } : []));
  const setWave = (at: number, wave: WaveRow) => set({ waves: waves.with(at, wave) });
  return (
    <div className={classes.checks}>
      <WaveBar {...{ waves, draft, devices, planned }} onChange={(next) => set({ waves: next })} />
      {chosen.map(({ text, at }) => (
        <Textarea
          key={at}
          label={`Devices of wave ${at + 1}`}
          placeholder="Names or ids, one on each line"
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget: { value } }) => setWave(at, { kind: 'chosen', text: value })}
        />
      ))}
      <div className="flow">
        <Gate why={waves.length >= 20 ? 'A rollout can have at most 20 waves' : undefined}>
          <Button
            size="xs"
            leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
            onClick={() => set({ waves: withNewWave(waves) })}
          >
            Add a wave
          </Button>
        </Gate>
        <Checkbox
          label="Require approval before each wave"
          checked={settings.isConfirmed}
          onChange={({ currentTarget: { checked } }) => set({ isConfirmed: checked })}
        />
      </div>
      <details>
        <summary>{gateText(settings)}</summary>
        <div className={classes.checks}>
          <h3>Waves</h3>
          <ol className={classes.waves} aria-label="Kind and size of each wave">
            {waves.map((wave, at) => (
              <li key={at}>
                <WaveFields
                  wave={wave}
                  number={at + 1}
                  error={fault?.at === at ? fault.because : undefined}
                  onChange={(next) => setWave(at, next)}
                />
              </li>
            ))}
          </ol>
          <h3>A wave passes when</h3>
          <div className={classes.pair}>
            <WholeNumber
              label="Succeeded (percent)"
              min={1}
              max={100}
              value={settings.successPercent}
              onChange={(successPercent) => set({ successPercent })}
            />
            <WholeNumber
              label="Online again for (minutes)"
              min={0}
              max={1440}
              value={settings.onlineMinutes}
              onChange={(onlineMinutes) => set({ onlineMinutes })}
            />
          </div>
          <h3>The rollout pauses when</h3>
          <div className={classes.pair}>
            <WholeNumber
              // With another kind it is another field.
              key={failed.kind}
              label="Failures exceed"
              min={0}
              max={failed.kind === 'percent' ? 100 : 50_000}
              value={failed.value}
              onChange={(value) => set({ failed: { ...failed, value } })}
            />
            <NativeSelect
              aria-label="Failures are counted in"
              className={classes.unit}
              value={failed.kind}
              onChange={({ currentTarget: { value } }) =>
                set({ failed: value === 'count' ? { kind: 'count', value: 0 } : { kind: 'percent', value: 5 } })
              }
              data={[
                { value: 'percent', label: '% of a wave' },
                { value: 'count', label: 'per wave' },
              ]}
            />
            <WholeNumber
              label="Wave times out after (minutes)"
              min={1}
              max={43_200}
              value={settings.timeoutMinutes}
              onChange={(timeoutMinutes) => set({ timeoutMinutes })}
            />
          </div>
          {isOpenTarget && (
            <Checkbox
              label="Include devices that join later"
              description="In the last wave, until it starts"
              checked={settings.includeNew}
              onChange={({ currentTarget: { checked } }) => set({ includeNew: checked })}
            />
          )}
          <TextInput
            type="datetime-local"
            label="Start"
            description="Leave empty to start now"
            value={settings.start}
            onChange={({ currentTarget: { value } }) => set({ start: value })}
          />
          <WindowList windows={settings.windows} onChange={(windows) => set({ windows })}>
            {planned.plan?.Zones && <ZoneNote zones={planned.plan.Zones} />}
          </WindowList>
        </div>
      </details>
    </div>
  );
}

/** "Passes at 95 %, pauses above 5 % failed, starts now" */
function gateText({ successPercent, failed, start, windows }: RolloutSettings): string {
  const failures = failed.kind === 'percent' ? `${failed.value} %` : `${failed.value}`;
  const starts = start || windows.length > 0 ? 'starts later' : 'starts now';
  return `Passes at ${successPercent} %, pauses above ${failures} failed, ${starts}`;
}

interface WaveFieldsProps {
  wave: WaveRow;
  number: number;
  error: string | undefined;
  onChange: (wave: WaveRow) => void;
}

function WaveFields({ wave, number, error, onChange }: WaveFieldsProps) {
  const name = `wave ${number}`;
  return (
    <>
      <span>Wave {number}</span>
      <NativeSelect
        aria-label={`Kind of ${name}`}
        value={wave.kind}
        onChange={({ currentTarget: { value } }) =>
          onChange(
            value === 'chosen'
              ? { kind: value, text: '' }
              : { kind: value === 'count' ? 'count' : 'percent', value: value === 'count' ? 1 : 100 },
          )
        }
        data={KINDS}
      />
      {wave.kind !== 'chosen' && (
        <WholeNumber
          // With another kind it is another field.
          key={wave.kind}
          aria-label={`Size of ${name}`}
          min={1}
          max={wave.kind === 'percent' ? 100 : 50_000}
          value={wave.value}
          error={error && `It ${error}.`}
          onChange={(value) => onChange({ kind: wave.kind, value })}
        />
      )}
    </>
  );
}
