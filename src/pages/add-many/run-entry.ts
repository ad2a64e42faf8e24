// One row on its way to be a device, and what the page sees of all of them.
import { ApiError, errorLine } from '#/api/api-error.ts';
import type { DeviceToAdd } from './row-check.ts';
import type { DraftRow } from './rows.ts';

export type Step = 'create' | 'details' | 'location' | 'tags' | 'key';

/** One row on its way to be a device. Immutable. */
export interface RunEntry {
  row: DraftRow;
  device: DeviceToAdd;
  state: 'waiting' | 'working' | 'done' | 'failed';
  id: string | undefined;
  key: string | undefined;
  /** Created, but the answer with the key never arrived. */
  keyLost: boolean;
  /** A create was sent whose answer was lost: the listing is asked before another is sent. */
  unanswered: boolean;
  /** Steps that are not done yet, in their order. */
  missing: Step[];
  /** Tags that are not on the device yet. */
  tags: string[];
  faults: { step: Step; text: string }[];
}

export type Ending = { reason: 'stopped' | 'signed-out' } | { reason: 'licence'; text: string };

export interface RunView {
  entries: readonly RunEntry[];
  running: boolean;
  /** The run waits, because the service asked for a pause. */
  pausing: boolean;
  ending: Ending | undefined;
}

/** A row as it begins: with the steps that it has something for. */
export function newEntry(row: DraftRow, device: DeviceToAdd): RunEntry {
  const { customer, site, position, tags } = device;
  const missing: Step[] = ['create'];
  if (customer || site) missing.push('details');
  if (position) missing.push('location');
  if (tags.length > 0) missing.push('tags');
  return {
    row,
    device,
    state: 'waiting',
    id: undefined,
    key: undefined,
    keyLost: false,
    unanswered: false,
    missing,
    tags,
    faults: [],
  };
}

/** The service's message about its limit, without the words for its status. */
export const limitText = (error: unknown): string =>
  error instanceof ApiError && error.detail ? error.detail : errorLine(error);
