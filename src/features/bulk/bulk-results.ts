// The results of a run: counted, in the order in which they matter, and as a file.
import { csvText } from '#/lib/csv.ts';
import type { ItemResult, BulkOutcome } from './bulk-run.ts';

export interface ResultRow extends ItemResult {
  id: string;
  name: string;
}

/** What asks for attention first. */
const ORDER: BulkOutcome[] = ['failed', 'unknown', 'stopped', 'skipped', 'done'];

export const OUTCOME_WORDS: Record<BulkOutcome, string> = {
  done: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
  unknown: 'Unknown',
  stopped: 'Not sent',
};

export function countResults(results: Iterable<ItemResult>): Record<BulkOutcome, number> {
  const counts = { done: 0, failed: 0, skipped: 0, unknown: 0, stopped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

export const outcomesOf = (counts: Record<BulkOutcome, number>): BulkOutcome[] =>
  ORDER.filter((each) => counts[each] > 0);

const byName = new Intl.Collator(undefined, { numeric: true });

/** What asks for attention first; of one outcome by name, "camera-2" before "camera-10". */
export const sortResults = (rows: readonly ResultRow[]): ResultRow[] =>
  ORDER.flatMap((outcome) =>
    rows.filter((row) => row.outcome === outcome).sort((one, two) => byName.compare(one.name, two.name)),
  );

/** "297 done, 3 failed" */
export const countsText = (counts: Record<BulkOutcome, number>, format: (count: number) => string): string =>
  ORDER.toReversed()
    .filter((each) => counts[each] > 0)
    .map((each) => `${format(counts[each])} ${OUTCOME_WORDS[each].toLowerCase()}`)
    .join(', ');

export const resultsCsv = (rows: readonly ResultRow[]): string =>
  csvText([
    ['id', 'name', 'result', 'reason'],
    ...rows.map(({ id, name, outcome, reason }) => [id, name, OUTCOME_WORDS[outcome], reason]),
  ]);
