// The state history of a device as stretches of time.
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { StateEvent } from '#/api/history.ts';

export interface Span {
  from: number;
  to: number;
}

/** `value`: undefined where nothing is known. */
export interface StateStretch<Value> extends Span {
  value: Value | undefined;
}

function joined<Value>(stretches: readonly StateStretch<Value>[]): StateStretch<Value>[] {
  const found: StateStretch<Value>[] = [];
  for (const stretch of stretches) {
    const last = found.at(-1);
    if (last && last.value === stretch.value) last.to = stretch.to;
    else if (stretch.to > stretch.from) found.push({ ...stretch });
  }
  return found;
}

/** When the history of a device begins: with its first connection, or its creation if that is not known; NaN if neither is. */
export function historyBegin(device: Device, events: readonly StateEvent[], now: number): number {
  if (device.DeviceStatus === 'NotConnected') return now;
  const first = events.findLast(({ cause }) => cause === 'FirstConnected');
  return first?.at ?? parseTimestamp(device.CreatedTime ?? '')?.getTime() ?? Number.NaN;
}

/** The states of a device. `events`: newest first; `begin`: when they begin. */
export function deviceStretches(
  events: readonly StateEvent[],
  { from, to }: Span,
  begin: number,
): StateStretch<string>[] {
  const stretches: StateStretch<string>[] = [];
  if (begin > from) stretches.push({ from, to: Math.min(begin, to), value: undefined });
  let at = Math.max(from, begin || from);
  let state: string | undefined = 'Offline';
  let isDown = false;
  for (const event of events.toReversed()) {
    const until = Math.min(event.at, to);
    if (until > at) {
      stretches.push({ from: at, to: until, value: state });
      at = until;
    }
    // While the service is down nothing is known, although a change may still have been recorded.
    if (event.cause === 'ServiceDown') isDown = true;
    if (event.cause === 'ServiceUp') isDown = false;
    state = isDown ? undefined : event.state;
  }
  stretches.push({ from: at, to, value: state });
  return joined(stretches);
}
