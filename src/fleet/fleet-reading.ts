// One reading of the whole fleet, shown in two steps: the listing, and the locations if they take longer.
import type { DeviceChanges } from '#/api/device-feed.ts';
import type { DeviceLocation } from '#/contract/devices.ts';
import { isSignedOut } from '#/api/api-error.ts';
import { inTurns } from '#/lib/pace.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import type { Fleet } from './fleet.ts';
import { FleetIndex, tableOf } from './fleet-index.ts';
import { followSteps } from './follow.ts';
import { placeSteps } from './places.ts';
import { readFleet } from './read-fleet.ts';
import { AT_ONCE } from './read-pages.ts';
import type { FleetSource } from './source.ts';
import { Draft, emptyTable, type Table } from './table.ts';
import { written, type DeviceWrite } from './writes.ts';

export interface FleetReadingRun {
  stop: AbortController;
  /** Writes since it began, which its pages may not show. */
  writes: DeviceWrite[];
  /** Likewise what was reported. */
  changes: DeviceChanges[];
  /** Something changed meanwhile: another reading follows. */
  again: boolean;
}

interface ReadingSteps {
  source: FleetSource;
  /** The index of before, and how many rows to request. */
  before: FleetIndex | undefined;
  rows: number;
  mayGoOn: () => Promise<void>;
  onProgress: (read: number, total: number | undefined) => void;
  /** Shows the devices read so far, with their locations. */
  showPart: (part: FleetIndex) => void;
  /** Shows the next index, made of the one that is shown by then. */
  show: (make: (index: FleetIndex | undefined) => Promise<FleetIndex>, change: Partial<Fleet>) => Promise<void>;
}

/** Devices in the first part that is shown; each further part has four times as many. */
const FIRST_PART = 5_000;
const GROWTH = 4;

/** Reads and shows it; `rows` of the result: as many as a page of this service has. */
export async function readIndex(
  reading: FleetReadingRun,
  steps: ReadingSteps,
): Promise<{ rows: number; placesError: Error | null }> {
  const { source, before, show } = steps;
  const { signal } = reading.stop;
  const begun = Date.now();
  const queue = new RequestQueue({ signal, atOnce: AT_ONCE, mayGoOn: steps.mayGoOn });
  const ask = <Answer>(request: () => Promise<Answer>) => queue.add(() => queue.read(request));
  const draft = new Draft(before ? tableOf(before) : emptyTable());
  let locations: DeviceLocation[] | undefined;
  let nextPart = FIRST_PART;
  const listing = readFleet({
    readPage: (page, rows) => ask(() => source.readPage(page, rows, signal)),
    rows: steps.rows,
    draft,
    had: before?.size ?? 0,
    onProgress: (read, total, order) => {
      steps.onProgress(read, total);
      if (before || !locations || read < nextPart || read === total) return;
      nextPart = read * GROWTH;
      void inTurns(placeSteps(draft.part(order()), locations)).then((table) => steps.showPart(new FleetIndex(table)));
    },
  });
  const locating = ask(() => source.readLocations(signal)).then((rows) => {
    locations = rows;
    return null;
  }, asError);

  const { order, rows, complete } = await listing;
  const place = async (table: Table) => (locations ? inTurns(placeSteps(table, locations)) : table);
  const showTable = (table: Table, change: Partial<Fleet>) =>
    show(async (index) => {
      let next = written(table, reading.writes);
      for (const changes of reading.changes) next = await inTurns(followSteps(next, changes));
      const isSame = index && tableOf(index) === next && index.complete === complete;
      return isSame ? index : new FleetIndex(next, complete);
    }, change);
  const already = locations !== undefined;
  const listed = await place(draft.finish(order));
  await showTable(listed, { at: begun, error: null, ...(already && { placesError: null }) });
  const placesError = await locating;
  if (placesError && isSignedOut(placesError)) throw placesError;
  if (!already && !placesError) await showTable(await place(listed), { placesError: null });
  return { rows, placesError };
}

export const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
