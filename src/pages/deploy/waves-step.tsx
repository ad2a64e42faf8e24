// The step of a deploy that sends it in waves: which devices each wave has, what starts the next wave, and when to pause.
import '#/ui/form/checkbox.css';
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { WholeNumber } from '#/ui/form/whole-number.tsx';
import { WAVE_PRESETS, wavePercentFault, withNewWave, type RolloutSettings, type WaveRow } from './rollout-settings.ts';
import { WindowList } from './window-list.tsx';
import classes from './deploy.module.css';

interface WavesStepProps {
  settings: RolloutSettings;
  /** Whether devices can join the target later. */
  isOpenTarget: boolean;
  onChange: (settings: RolloutSettings) => void;
}

const KINDS = [
  { value: 'percent', label: 'Percent of all, so far' },
  { value: 'count', label: 'Number of devices' },
  { value: 'chosen', label: 'Chosen devices' },
];

export function WavesStep({ settings, isOpenTarget, onChange }: WavesStepProps) {
  const set = (change: Partial<RolloutSettings>) => onChange({ ...settings, ...change });
  const { waves, failed } = settings;
  const fault = wavePercentFault(waves);
  const setWave = (at: number, wave: WaveRow) => set({ waves: waves.with(at, wave) });
  return (
    <div className={classes.checks}>
      <div role="group" aria-label="Presets" className="flow">
        {WAVE_PRESETS.map((preset) => (
          <Button key={preset.name} size="xs" onClick={() => set({ waves: preset.waves })}>
            {preset.name}
          </Button>
        ))}
      </div>
      <ol className={classes.waves} aria-label="Waves">
        {waves.map((wave, at) => (
          <li key={at}>
            <WaveFields
              wave={wave}
              number={at + 1}
              error={fault?.at === at ? fault.because : undefined}
              onChange={(next) => setWave(at, next)}
              onRemove={() => set({ waves: waves.toSpliced(at, 1) })}
            />
          </li>
        ))}
      </ol>
      <Button
        size="xs"
        className={classes.suggest}
        leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
        disabled={waves.length >= 20}
        onClick={() => set({ waves: withNewWave(waves) })}
      >
        Add a wave
      </Button>
      <h3>A wave passes when</h3>
      <div className={classes.pair}>
        <WholeNumber
          label="Succeeded, in percent"
          min={1}
          max={100}
          value={settings.successPercent}
          onChange={(successPercent) => set({ successPercent })}
        />
        <WholeNumber
          label="And Online again for, in minutes"
          min={0}
          max={1440}
          value={settings.onlineMinutes}
          onChange={(onlineMinutes) => set({ onlineMinutes })}
        />
      </div>
      <h3>The rollout pauses when</h3>
      <div className={classes.pair}>
        <div className={classes.limit}>
          <WholeNumber
            // With another kind it is another field.
            key={failed.kind}
            label="More have failed than"
            min={0}
            max={failed.kind === 'percent' ? 100 : 50_000}
            value={failed.value}
            onChange={(value) => set({ failed: { ...failed, value } })}
          />
          <NativeSelect
            aria-label="Failures are counted in"
            value={failed.kind}
            onChange={({ currentTarget: { value } }) =>
              set({ failed: value === 'count' ? { kind: 'count', value: 0 } : { kind: 'percent', value: 5 } })
            }
            data={[
              { value: 'percent', label: '% of a wave' },
              { value: 'count', label: 'devices of a wave' },
            ]}
          />
        </div>
        <WholeNumber
          label="A wave has not passed after, in minutes"
          min={1}
          max={43_200}
          value={settings.timeoutMinutes}
          onChange={(timeoutMinutes) => set({ timeoutMinutes })}
        />
      </div>
      <Checkbox
        label="A person begins each wave after the first"
        checked={settings.isConfirmed}
        onChange={({ currentTarget: { checked } }) => set({ isConfirmed: checked })}
      />
      {isOpenTarget && (
        <Checkbox
          label="Include devices that join later"
          description="In the last wave, until it begins"
          checked={settings.includeNew}
          onChange={({ currentTarget: { checked } }) => set({ includeNew: checked })}
        />
      )}
      <TextInput
        type="datetime-local"
        label="Begin"
        description="Empty: at once"
        value={settings.start}
        onChange={({ currentTarget: { value } }) => set({ start: value })}
      />
      <WindowList windows={settings.windows} onChange={(windows) => set({ windows })} />
    </div>
  );
}

interface WaveFieldsProps {
  wave: WaveRow;
  number: number;
  error: string | undefined;
  onChange: (wave: WaveRow) => void;
  onRemove: () => void;
}

function WaveFields({ wave, number, error, onChange, onRemove }: WaveFieldsProps) {
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
      {wave.kind === 'chosen' ? (
        <Textarea
          aria-label={`Devices of ${name}`}
          placeholder="Names or ids, one on each line"
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          value={wave.text}
          onChange={({ currentTarget: { value } }) => onChange({ kind: 'chosen', text: value })}
        />
      ) : (
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
      <IconButton icon={IconTrash} label={`Remove ${name}`} title="Remove" onClick={onRemove} />
    </>
  );
}
