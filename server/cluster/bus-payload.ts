// What messages between nodes contain: ids as decimal digits with commas between them, or a star.
import { logThrottled } from '../operation/log.ts';
import type { BusOptions } from './bus.ts';

/** NOTIFY takes less than 8,000 bytes. https://www.postgresql.org/docs/current/sql-notify.html */
export const MAX_PAYLOAD = 7_999;
const IDS = /^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/;

/** Sent by a node that cannot know which of its messages were lost. */
export const EVERYTHING = '*';

/** As few payloads as possible, in the order of the ids. */
export function payloadsOf(deviceSeqs: number[]): string[] {
  const payloads: string[] = [];
  let payload = '';
  for (const seq of deviceSeqs) {
    const next = payload === '' ? `${seq}` : `${payload},${seq}`;
    if (next.length > MAX_PAYLOAD) {
      payloads.push(payload);
      payload = `${seq}`;
    } else payload = next;
  }
  if (payload !== '') payloads.push(payload);
  return payloads;
}

/** The ids of a payload; undefined if it is none of ours. */
export function readPayload(payload: string): number[] | typeof EVERYTHING | undefined {
  if (payload === EVERYTHING) return EVERYTHING;
  if (payload.length > MAX_PAYLOAD || !IDS.test(payload)) return undefined;
  const deviceSeqs = payload.split(',').map(Number);
  return deviceSeqs.every(Number.isSafeInteger) ? deviceSeqs : undefined;
}

/** Passes on what arrived. */
export function deliver(payload: string, { received, missed }: BusOptions): void {
  const read = readPayload(payload);
  if (read === undefined)
    logThrottled('bus payload', 'warn', 'A message between nodes was not understood, and ignored.');
  else if (read === EVERYTHING) missed();
  else received(read);
}
