// The waves of a rollout as one bar from 0 to 100 % of the devices. A handle at the end of each wave moves by dragging and by
// the arrow keys; below it stand the devices of each part, and how many of them are Offline.
import { useRef, type PointerEvent } from 'react';
import { IconTrash } from '@tabler/icons-react';
import type { Device } from '#/contract/devices.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { errorLine } from '#/api/api-error.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import type { WaveRow } from './rollout-settings.ts';
import type { WavePlanning } from './use-wave-plan.ts';
import { handleRange, keyTarget, moveHandle, wavePartsOf, type WavePart } from './wave-parts.ts';
import classes from './wave-bar.module.css';

/** Devices listed by name per wave. */
const NAMED = 200;

interface WaveBarProps {
  waves: readonly WaveRow[];
  /** Undefined while something is missing that the service needs to plan the waves. */
  draft: RolloutDraft | undefined;
  planned: WavePlanning;
  devices: readonly Device[];
  onChange: (waves: readonly WaveRow[]) => void;
}

export function WaveBar({ waves, draft, devices, planned: { plan, error }, onChange }: WaveBarProps) {
  const away = new Set(devices.flatMap(({ DeviceId, DeviceStatus }) => (DeviceStatus === 'Online' ? [] : DeviceId)));
  const names = new Map(devices.map(({ DeviceId, DeviceName }) => [DeviceId, DeviceName || DeviceId]));
  const parts = wavePartsOf(waves, plan, away);
  const track = useRef<HTMLDivElement>(null);
  const percentAt = (event: PointerEvent): number => {
    const { left, width } = track.current!.getBoundingClientRect();
    return (100 * (event.clientX - left)) / width;
  };
  return (
    <>
      <div className={classes.bar}>
        <div ref={track} className={classes.track} aria-hidden="true" data-testid="waves">
          {parts.map(({ from, to }, at) => (
            <span key={at} className={classes.part} style={{ left: `${from}%`, width: `${to - from}%` }}>
              {to - from >= 6 && at + 1}
            </span>
          ))}
        </div>
        {parts.map(({ row, planned }, at) => {
          if (row?.kind !== 'percent') return null;
          const range = handleRange(waves, at);
          return (
            <span
              key={at}
              role="slider"
              tabIndex={0}
              className={classes.handle}
              style={{ left: `${row.value}%` }}
              aria-label={`End of wave ${at + 1}`}
              aria-valuemin={range.least}
              aria-valuemax={range.most}
              aria-valuenow={row.value}
              aria-valuetext={[`${row.value} %`, planned && plannedText(planned)].filter(Boolean).join(', ')}
              onKeyDown={(event) => {
                const next = keyTarget(event.key, row.value, range);
                if (next === undefined) return;
                event.preventDefault();
                onChange(moveHandle(waves, at, next));
              }}
              onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
              onPointerMove={(event) => {
                if (event.currentTarget.hasPointerCapture(event.pointerId))
                  onChange(moveHandle(waves, at, percentAt(event)));
              }}
            />
          );
        })}
      </div>
      <div className={classes.scale} aria-hidden="true">
        <span>0 %</span>
        <span>100 %</span>
      </div>
      {error && (
        <p role="alert" className={classes.error}>
          {errorLine(error)}
        </p>
      )}
      <ol className={classes.parts} aria-label="Planned waves">
        {parts.map((part, at) => (
          <li key={at}>
            <PartDevices part={part} number={at + 1} names={names} />
            {part.row && waves.length > 1 && (
              <IconButton
                icon={IconTrash}
                label={`Remove wave ${at + 1}`}
                title="Remove"
                onClick={() => onChange(waves.toSpliced(at, 1))}
              />
            )}
          </li>
        ))}
      </ol>
      {!draft && <p className="small dim">Choose a target and what to run to see the devices of each wave.</p>}
    </>
  );
}

const plannedText = ({ Devices, Offline }: NonNullable<WavePart['planned']>): string =>
  devicesText(Devices.length) + (Offline > 0 ? `, ${formatCount(Offline)} not online` : '');

interface PartDevicesProps {
  part: WavePart;
  number: number;
  names: ReadonlyMap<string, string>;
}

function PartDevices({ part: { row, to, planned }, number, names }: PartDevicesProps) {
  const percent = row === undefined ? to : row.kind === 'percent' ? row.value : undefined;
  const line = (
    <>
      <strong>Wave {number}</strong>
      {percent !== undefined && <span className="dim"> · up to {percent} %</span>}
      {planned && <span className={classes.figures}> · {plannedText(planned)}</span>}
    </>
  );
  if (!planned || planned.Devices.length === 0) return <div className={classes.line}>{line}</div>;
  return (
    <details>
      <summary>{line}</summary>
      <p className="small breakable">
        {planned.Devices.slice(0, NAMED)
          .map((id) => names.get(id) ?? id)
          .join(', ')}
        {planned.Devices.length > NAMED && ` and ${formatCount(planned.Devices.length - NAMED)} more`}
      </p>
    </details>
  );
}
