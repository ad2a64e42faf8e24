// The states of a row of the availability over the period, as on the page of a device.
import type { Availability } from '#/contract/history.ts';
import { StateStrip } from '#/features/device-history/state-strip.tsx';
import { counted, devicesText, formatDuration, formatShare } from '#/lib/format.ts';
import { stripStretches } from './strip-stretches.ts';

/** If less of the period than this is known, the text says so. */
const COMPLETE = 0.98;

interface AvailabilityStripProps {
  row: Availability;
  span: { from: number; to: number };
  /** The period: "last 24 hours". */
  words: string;
}

/** Nothing in front of a service that sends no strips. */
export function AvailabilityStrip({ row, span, words }: AvailabilityStripProps) {
  const { Name, Key, Devices, Strip, OnlineSeconds, OfflineSeconds, Changes } = row;
  if (!Strip || Strip.length === 0) return null;
  const known = OnlineSeconds + OfflineSeconds;
  // Devices may be new, or the service was down.
  const isPart = known * 1000 < COMPLETE * (span.to - span.from) * Devices;
  const time = isPart ? 'the time that is known' : `the ${words}`;
  const whose = Devices > 1 ? `${Name || 'None'}, ${devicesText(Devices)}` : Name || Key;
  const states =
    known === 0
      ? `nothing is known of the ${words}`
      : `Online for ${formatShare(OnlineSeconds / known)} of ${time}, Offline for ${formatDuration(OfflineSeconds * 1000, 'rough')}, ${counted(Changes, 'change')}`;
  return <StateStrip bare stretches={stripStretches(Strip, span)} label={`${whose}: ${states}`} />;
}
