// How a deploy is kept from doing harm, folded until it is needed: in waves or all at once, and with a check of the devices
// first.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { Button, Checkbox } from '@mantine/core';
import type { Device } from '#/contract/devices.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { counted } from '#/lib/format.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import type { DeployForm } from './deploy-form.ts';
import { NEW_PREFLIGHT } from './preflight-script.ts';
import { canaryByHand, NEW_ROLLOUT, presetOf, type WavePreset } from './rollout-settings.ts';
import classes from './deploy.module.css';

const PreflightStep = lazyPart(() => import('./preflight-step.tsx'), 'PreflightStep');
const WavesStep = lazyPart(() => import('./waves-step.tsx'), 'WavesStep');

const PRESETS: readonly { preset: WavePreset; label: string }[] = [
  { preset: 'at-once', label: 'All at once' },
  { preset: 'steps', label: '1 · 10 · 50 · 100 %' },
  { preset: 'canary', label: 'Canary by hand' },
];

interface SafetyStepProps {
  form: DeployForm;
  hasRollouts: boolean;
  hasPreflight: boolean;
  /** Whether devices can join the target later. */
  isOpenTarget: boolean;
  /** Why a preflight is not permitted. */
  noPreflight: string | undefined;
  devices: readonly Device[];
  draft: RolloutDraft | undefined;
  onChange: (patch: Partial<DeployForm>) => void;
}

export function SafetyStep(props: SafetyStepProps) {
  const { form, hasRollouts, hasPreflight, isOpenTarget, devices, draft, onChange } = props;
  const { rollout } = form;
  // A link to a deploy in waves shows them at once.
  const [isOpen, setOpen] = useState(rollout !== undefined);
  const preset = presetOf(rollout);
  const choose = (next: WavePreset) =>
    onChange({
      rollout: next === 'at-once' ? undefined : next === 'canary' ? canaryByHand(devices) : NEW_ROLLOUT,
      preflight: undefined,
    });
  return (
    <section aria-labelledby="deploy-safety">
      <details className={classes.safety} open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
        <summary>
          <h2 id="deploy-safety">Safety</h2>
          <span className="dim">{safetyText(form)}</span>
        </summary>
        <div className={classes.checks}>
          {hasRollouts && (
            <div role="group" aria-label="Waves" className="flow">
              {PRESETS.map((each) => (
                <Button
                  key={each.preset}
                  size="xs"
                  variant={preset === each.preset ? 'light' : 'default'}
                  aria-pressed={preset === each.preset}
                  onClick={() => choose(each.preset)}
                >
                  {each.label}
                </Button>
              ))}
            </div>
          )}
          <WavesStep
            open={
              rollout && {
                settings: rollout,
                isOpenTarget,
                devices,
                draft,
                onChange: (next) => onChange({ rollout: next }),
              }
            }
            fallback={<Skeleton name="the waves" rows={4} />}
          />
          {hasPreflight && rollout === undefined && <Preflight {...props} />}
        </div>
      </details>
    </section>
  );
}

/** What the folded step says: "All at once", "4 waves", "Checked first". */
function safetyText({ rollout, preflight }: DeployForm): string {
  if (rollout) return counted(rollout.waves.length, 'wave');
  return preflight ? 'Checked first' : 'All at once';
}

function Preflight({ form: { preflight }, noPreflight, onChange }: SafetyStepProps) {
  return (
    <>
      <Checkbox
        label="Run a pre-check"
        description={
          noPreflight ?? 'A small job checks each device and changes nothing. You then deploy to those that pass.'
        }
        aria-disabled={noPreflight === undefined ? undefined : true}
        data-blocked={noPreflight === undefined ? undefined : true}
        checked={preflight !== undefined}
        onChange={(event) => {
          if (noPreflight === undefined)
            onChange({ preflight: event.currentTarget.checked ? NEW_PREFLIGHT : undefined });
        }}
      />
      <PreflightStep
        open={preflight && { plan: preflight, onChange: (next) => onChange({ preflight: next }) }}
        fallback={<Skeleton name="the checks" rows={3} />}
      />
    </>
  );
}
