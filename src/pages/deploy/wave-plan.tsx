// Shows which devices are in which wave before anything is sent.
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import type { Device } from '#/contract/devices.ts';
import { percentFault, type RolloutDraft } from '#/contract/rollouts.ts';
import { errorLine } from '#/api/api-error.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Skeleton } from '#/ui/page/view.tsx';
import classes from './deploy.module.css';

/** Devices listed by name per wave. */
const NAMED = 200;

export function WavePlan({ draft, devices }: { draft: RolloutDraft; devices: readonly Device[] }) {
  const [settled] = useDebouncedValue(draft, 300);
  const isFaulty = percentFault(draft.Waves) !== undefined;
  const { data, error } = useQuery({ ...rolloutQueries.plan(settled), enabled: !isFaulty });
  // The step above shows the error.
  if (isFaulty) return undefined;
  if (error)
    return (
      <p role="alert" className={classes.warning}>
        {errorLine(error)}
      </p>
    );
  if (!data) return <Skeleton name="the waves" rows={4} />;
  const names = new Map(devices.map(({ DeviceId, DeviceName }) => [DeviceId, DeviceName || DeviceId]));
  const away = new Set(devices.flatMap(({ DeviceId, DeviceStatus }) => (DeviceStatus === 'Online' ? [] : DeviceId)));
  const rest = { Devices: data.Left, Offline: data.Left.filter((id) => away.has(id)).length };
  const waves = data.Left.length > 0 ? [...data.Waves, rest] : data.Waves;
  return (
    <>
      <h3>Waves</h3>
      <ol className={classes.plan} aria-label="Planned waves">
        {waves.map(({ Devices, Offline }, at) => (
          <li key={at}>
            <details>
              <summary>
                <strong>Wave {at + 1}</strong> {devicesText(Devices.length)}
                {Offline > 0 && <span className="dim">, {formatCount(Offline)} Offline</span>}
              </summary>
              <p className="small breakable">
                {Devices.slice(0, NAMED)
                  .map((id) => names.get(id) ?? id)
                  .join(', ')}
                {Devices.length > NAMED && ` and ${formatCount(Devices.length - NAMED)} more`}
              </p>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}
