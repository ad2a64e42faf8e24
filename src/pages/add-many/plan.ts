// What "Create" is going to do with the rows as they are: how many devices, what is left out, what the licence allows.
import { counted, formatCount } from '#/lib/format.ts';
import { checkRow, hasError, type CellTexts } from './row-check.ts';
import type { DraftRow } from './rows.ts';

export type Plan = ReturnType<typeof planOf>;

/**
 * `names`: the names of the fleet, folded; undefined while they are not known. `free`: devices that the licence still
 * allows, where that is known.
 */
export function planOf(rows: readonly DraftRow[], names: ReadonlySet<string> | undefined, free: number | undefined) {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { folded } = checkRow(row);
    if (folded) counts.set(folded, (counts.get(folded) ?? 0) + 1);
  }
  const nameWarning = (folded: string): string | undefined => {
    const times = counts.get(folded) ?? 0;
    const listed = times > 1 ? (times === 2 ? 'Twice in this list' : `${formatCount(times)} times in this list`) : '';
    const exists = names?.has(folded) ? 'A device of this name exists' : '';
    return [exists, listed].filter(Boolean).join('. ') || undefined;
  };
  const warningsOf = (row: DraftRow): CellTexts => {
    const { warnings, folded } = checkRow(row);
    const name = nameWarning(folded);
    return name ? { ...warnings, name } : warnings;
  };
  const ready = rows.filter((row) => !hasError(row));
  const warned = ready.filter((row) => {
    const { folded, isOdd } = checkRow(row);
    return isOdd || (counts.get(folded) ?? 0) > 1 || names?.has(folded) === true;
  }).length;
  return {
    ready,
    faulty: rows.length - ready.length,
    /** Rows that become devices although something about them looks odd. */
    warned,
    free,
    warningsOf,
  };
}

/** The plan in words: "148 devices will be created, 2 rows have errors and are left out; licence: 9,812 free". */
export function planText({ ready, faulty, free }: Plan): string {
  const made = ready.length === 0 ? 'No device will be created' : `${counted(ready.length, 'device')} will be created`;
  const left =
    faulty === 0
      ? ''
      : `, ${faulty === 1 ? '1 row has errors and is' : `${formatCount(faulty)} rows have errors and are`} left out`;
  const licence = free === undefined ? '' : `; licence: ${formatCount(free)} free`;
  return `${made}${left}${licence}`;
}

/** What the licence leaves of the plan, where it is too small for all of it. */
export function licenceText({ ready, free }: Plan): string | undefined {
  if (free === undefined || ready.length <= free) return undefined;
  return free === 0
    ? 'Device limit reached. Delete devices you no longer need, or raise your plan’s limit.'
    : `Your plan has room for ${formatCount(free)} of them: creating stops there, and the rest stay in the list.`;
}
