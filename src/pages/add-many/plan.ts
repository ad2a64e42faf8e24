// The plan for the rows: which devices are created and changed, which rows are left out, and what the licence allows.
import { counted, formatCount } from '#/lib/format.ts';
import { SHARED, checkRow, foldName, hasError, type CellTexts } from './row-check.ts';
import { changeOf, changedColumns, type KnownFleet, type RowChange } from './row-changes.ts';
import type { DraftRow } from './rows.ts';

export type Plan = ReturnType<typeof planOf>;

/** What happens to a row. `repeated`: an earlier row has the same device. `unread`: the fleet is not loaded. */
export type RowFate = 'new' | 'changed' | 'same' | 'unknown' | 'repeated' | 'unread';

/** The rows of existing devices, each with its fate and its changes. */
function fatesOf(rows: readonly DraftRow[], fleet: KnownFleet | undefined) {
  const fates = new Map<DraftRow, { fate: RowFate; change?: RowChange }>();
  const seen = new Set<string>();
  for (const row of rows) {
    if (!row.existing) continue;
    const { id } = row.existing;
    const change = fleet && changeOf(row, fleet);
    if (!fleet) fates.set(row, { fate: 'unread' });
    else if (!change) fates.set(row, { fate: 'unknown' });
    else if (seen.has(id)) fates.set(row, { fate: 'repeated' });
    else fates.set(row, changedColumns(change).length > 0 ? { fate: 'changed', change } : { fate: 'same' });
    seen.add(id);
  }
  return fates;
}

/** By row: groups, customers, sites and tags that would be others only because they are written in another way. */
function spellingsOf(rows: readonly DraftRow[], fleet: KnownFleet | undefined) {
  const known = new Map<string, Set<string>>();
  const writtenAs = (column: string, folded: string, text: string) => {
    const key = `${column} ${folded}`;
    const before = known.get(key);
    if (!before) known.set(key, new Set([text]));
    return before;
  };
  if (fleet)
    for (const column of SHARED)
      for (const text of fleet.shared[column]) writtenAs(column, foldName(text), text)?.add(text);
  const found = new Map<DraftRow, CellTexts>();
  for (const row of rows)
    for (const { column, text, folded } of checkRow(row).shared) {
      const others = writtenAs(column, folded, text);
      if (!others || others.has(text)) continue;
      const [other = ''] = others;
      found.set(row, {
        ...found.get(row),
        [column]: `“${other}” exists, and differs only in case, spaces or encoding`,
      });
    }
  return found;
}

/** `free`: devices that the licence still allows, if known. */
export function planOf(rows: readonly DraftRow[], fleet: KnownFleet | undefined, free: number | undefined) {
  const fates = fatesOf(rows, fleet);
  const isNamed = (row: DraftRow) => !row.existing || fates.get(row)?.change?.was.name !== undefined;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { folded } = checkRow(row);
    if (folded) counts.set(folded, (counts.get(folded) ?? 0) + 1);
  }
  const nameWarning = (row: DraftRow): string | undefined => {
    const { folded } = checkRow(row);
    if (!isNamed(row)) return undefined;
    const times = counts.get(folded) ?? 0;
    const listed = times > 1 ? (times === 2 ? 'Twice in this list' : `${formatCount(times)} times in this list`) : '';
    const exists = fleet?.names.has(folded) ? 'A device of this name exists' : '';
    return [exists, listed].filter(Boolean).join('. ') || undefined;
  };
  const spellings = spellingsOf(rows, fleet);
  const warningsOf = (row: DraftRow): CellTexts => {
    const name = nameWarning(row);
    return { ...spellings.get(row), ...checkRow(row).warnings, ...(name !== undefined && { name }) };
  };
  const ready = rows.filter((row) => !row.existing && !hasError(row));
  const changes = rows.flatMap((row) => (hasError(row) ? [] : (fates.get(row)?.change ?? [])));
  const count = (fate: RowFate) => [...fates.values()].filter((each) => each.fate === fate).length;
  return {
    ready,
    changes,
    /** Whether some rows are of existing devices. */
    hasExisting: fates.size > 0,
    counts: { same: count('same'), unknown: count('unknown'), repeated: count('repeated'), unread: count('unread') },
    faulty: rows.filter(hasError).length,
    /** Number of rows with warnings that will still be created. */
    warned: ready.filter((row) => Object.keys(warningsOf(row)).length > 0).length,
    free,
    warningsOf,
    fateOf: (row: DraftRow): RowFate => fates.get(row)?.fate ?? 'new',
    /** The values that a row replaces. */
    wasOf: (row: DraftRow): CellTexts => fates.get(row)?.change?.was ?? {},
  };
}

/** The plan in words: "148 devices will be created, 2 rows have errors and are left out; licence: 9,812 free". */
export function planText({ ready, changes, hasExisting, counts, faulty, free }: Plan): string {
  const { same, unknown, repeated, unread } = counts;
  const creates = ready.length > 0 || !hasExisting;
  const made = ready.length === 0 ? 'No device will be created' : `${counted(ready.length, 'device')} will be created`;
  const parts = [
    hasExisting && `${changes.length === 0 ? 'No device' : counted(changes.length, 'device')} will be changed`,
    creates && made,
    same > 0 && `${formatCount(same)} ${same === 1 ? 'is' : 'are'} the same`,
    unknown > 0 && `${formatCount(unknown)} ${unknown === 1 ? 'id is' : 'ids are'} unknown and left out`,
    repeated > 0 &&
      `${counted(repeated, 'row')} ${repeated === 1 ? 'repeats' : 'repeat'} an id and ${repeated === 1 ? 'is' : 'are'} left out`,
    unread > 0 && `${counted(unread, 'row')} with an id ${unread === 1 ? 'waits' : 'wait'} for the device list`,
    faulty > 0 &&
      `${faulty === 1 ? '1 row has errors and is' : `${formatCount(faulty)} rows have errors and are`} left out`,
  ];
  const licence = free === undefined || !creates ? '' : `; licence: ${formatCount(free)} free`;
  return `${parts.filter((part) => part !== false).join(', ')}${licence}`;
}

/** What the licence allows of the plan, if it does not allow all. */
export function licenceText({ ready, free }: Plan): string | undefined {
  if (free === undefined || ready.length <= free) return undefined;
  return free === 0
    ? 'Device limit reached. Delete devices you no longer need, or raise your plan’s limit.'
    : `Your plan has room for ${formatCount(free)} of them: the others are not created.`;
}
