// The waves of a review: when each starts, with how many devices, and when the rollout can end.
import type { Device } from '#/contract/devices.ts';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { earliestEnd, gateText, wavesText, windowText, type ReviewedWave } from './wave-review.ts';
import classes from './deploy.module.css';

interface ReviewWavesProps {
  draft: RolloutDraft;
  waves: readonly ReviewedWave[];
  devices: readonly Device[];
}

export function ReviewWaves({ draft, waves, devices }: ReviewWavesProps) {
  const now = useNow();
  const { Gate, Advance, StartTime, Windows = [] } = draft;
  const names = new Map(devices.map(({ DeviceId, DeviceName }) => [DeviceId, DeviceName || DeviceId]));
  const later = waves.slice(1);
  const isLater = StartTime !== undefined && Date.parse(StartTime) > now.getTime();
  return (
    <>
      <ul className={classes.waveLines} aria-label="When each wave starts">
        <li>
          {isLater ? (
            <>
              From <Time at={Date.parse(StartTime)} ahead exact />
              {Windows.length > 0 && ', during a window'}
            </>
          ) : Windows.length > 0 ? (
            'During a window'
          ) : (
            'Now'
          )}
          : <strong>{wavesText(waves.slice(0, 1), names)}</strong>
        </li>
        {later.length > 0 && (
          <li>
            After {gateText(Gate)}
            {Advance === 'confirm' && ', waiting for approval before each wave'}:{' '}
            <strong>{wavesText(later, names)}</strong>
          </li>
        )}
      </ul>
      {Windows.length > 0 && <p className="dim">Waves start only during {Windows.map(windowText).join('; ')}.</p>}
      {(isLater || Gate.OnlineMinutes > 0) && (
        <p className="dim">
          Ends <Time at={earliestEnd(draft, waves.length, now)} ahead exact /> at the earliest.
        </p>
      )}
    </>
  );
}
