// The results of a run: in words, counted, in the order in which they matter, and as a file.
import { ApiError } from '#/api/api-error.ts';
import { Skipped } from '#/api/skipped.ts';
import { csvText } from '#/contract/csv.ts';
import { compareNames } from '#/lib/locale.ts';
import type { WriteResult } from '#/lib/request-queue.ts';

/**
 * - `failed`: nothing was changed, as far as the service reports.
 * - `skipped`: there was nothing to do.
 * - `unknown`: no answer arrived and reading could not settle it either.
 * - `stopped`: never sent, because the run was cancelled or had to end.
 */
export type BulkOutcome = 'done' | 'failed' | 'skipped' | 'unknown' | 'stopped';

export interface ItemResult {
  outcome: BulkOutcome;
  /** Why, in words; empty for what is done. */
  reason: string;
}

const NOT_SENT: Record<Extract<WriteResult, { outcome: 'stopped' }>['reason'], string> = {
  cancelled: 'Cancelled before it was sent',
  'signed-out': 'Not sent: you were signed out',
  unreachable: 'Not sent: the service could not be reached',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { detail, fields } = error instanceof ApiError ? error : { detail: '', fields: [] };
  return [error.message, detail, ...fields.map(({ field, message }) => `${field} ${message}`)]
    .filter(Boolean)
    .map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

export function itemResult(result: WriteResult): ItemResult {
  const { outcome } = result;
  switch (outcome) {
    case 'done':
      return result.answer instanceof Skipped
        ? { outcome: 'skipped', reason: result.answer.reason }
        : { outcome, reason: '' };
    case 'failed': {
      const read = result.checked ? ' A second read shows that nothing changed.' : '';
      return { outcome, reason: reasonOf(result.error) + read };
    }
    case 'unknown': {
      const read =
        result.trouble === undefined
          ? 'The service does not report whether it was done.'
          : `The second read failed too: ${reasonOf(result.trouble)}`;
      return { outcome, reason: `${reasonOf(result.error)} ${read}` };
    }
    case 'stopped':
      return { outcome, reason: NOT_SENT[result.reason] };
  }
}

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

/** What asks for attention first; of one outcome by name, "camera-2" before "camera-10". */
export const sortResults = (rows: readonly ResultRow[]): ResultRow[] =>
  ORDER.flatMap((outcome) =>
    rows.filter((row) => row.outcome === outcome).sort((one, two) => compareNames(one.name, two.name)),
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
