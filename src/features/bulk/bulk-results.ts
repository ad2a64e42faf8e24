// The results of a run: in words, counted, sorted by importance, and as a file.
import { ApiError } from '#/api/api-error.ts';
import type { BulkItem } from '#/contract/bulk.ts';
import { Skipped } from '#/api/skipped.ts';
import { csvText } from '#/contract/csv.ts';
import { compareNames } from '#/lib/locale.ts';
import type { EachResult, NotSent } from '#/lib/run-each.ts';
import { withFullStop } from '#/lib/format.ts';

/**
 * - `failed`: the service reported an error, so nothing was changed.
 * - `skipped`: there was nothing to do.
 * - `unknown`: no answer arrived, so it may have been done.
 * - `stopped`: not done, because the run was cancelled or aborted.
 */
export type BulkOutcome = 'done' | 'failed' | 'skipped' | 'unknown' | 'stopped';

export interface ItemResult {
  outcome: BulkOutcome;
  /** Why, in words; empty for `done`. */
  reason: string;
}

const NOT_SENT: Record<NotSent, string> = {
  stopped: 'Cancelled before it was sent',
  'signed-out': 'Not sent: you were signed out',
  unanswered: 'Not sent: the answer to an earlier request was lost',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { detail, fields } = error instanceof ApiError ? error : { detail: '', fields: [] };
  return [error.message, detail, ...fields.map(({ field, message }) => `${field} ${message}`)]
    .filter(Boolean)
    .map(withFullStop)
    .join(' ');
}

export function itemResult(result: EachResult<unknown>): ItemResult {
  const { outcome } = result;
  switch (outcome) {
    case 'done':
      return result.answer instanceof Skipped
        ? { outcome: 'skipped', reason: result.answer.reason }
        : { outcome, reason: '' };
    case 'failed':
      return { outcome, reason: reasonOf(result.error) };
    case 'unknown':
      return { outcome, reason: `${reasonOf(result.error)} It may have been done.` };
    case 'not-sent':
      return { outcome: 'stopped', reason: NOT_SENT[result.why] };
  }
}

const OUTCOMES = { Done: 'done', Failed: 'failed', Skipped: 'skipped', Left: 'stopped' } as const;

/** The result of an item of the service's bulk work. Once the work is cancelled, Left is final. */
export const resultOfItem = ({ Outcome, Because }: Pick<BulkItem, 'Outcome' | 'Because'>): ItemResult => ({
  outcome: OUTCOMES[Outcome],
  reason: Outcome === 'Left' ? 'Cancelled before its turn' : Because,
});

export interface ResultRow extends ItemResult {
  id: string;
  name: string;
}

/** Problems first. */
const ORDER: BulkOutcome[] = ['failed', 'unknown', 'stopped', 'skipped', 'done'];

export const OUTCOME_WORDS: Record<BulkOutcome, string> = {
  done: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
  unknown: 'Unknown',
  stopped: 'Not done',
};

export function countResults(results: Iterable<ItemResult>): Record<BulkOutcome, number> {
  const counts = { done: 0, failed: 0, skipped: 0, unknown: 0, stopped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

export const outcomesOf = (counts: Record<BulkOutcome, number>): BulkOutcome[] =>
  ORDER.filter((each) => counts[each] > 0);

/** Problems first; within an outcome by name, "camera-2" before "camera-10". */
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
