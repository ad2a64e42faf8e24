import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalError } from '#/api/api-error.ts';
import { Skipped } from '#/api/skipped.ts';
import {
  countResults,
  countsText,
  itemResult,
  outcomesOf,
  resultOfItem,
  resultsCsv,
  sortResults,
  type ResultRow,
} from './bulk-results.ts';

const rows: ResultRow[] = [
  { id: '1', name: 'a', outcome: 'done', reason: '' },
  { id: '2', name: '=b()', outcome: 'failed', reason: 'Disk "full"' },
  { id: '3', name: 'c', outcome: 'stopped', reason: 'Cancelled' },
  { id: '4', name: 'd', outcome: 'done', reason: '' },
];

test('failures come first, and the counts include every outcome', () => {
  assert.deepEqual(
    sortResults(rows).map(({ id }) => id),
    ['2', '3', '1', '4'],
  );
  const counts = countResults(rows);
  assert.deepEqual(counts, { done: 2, failed: 1, skipped: 0, unknown: 0, stopped: 1 });
  assert.deepEqual(outcomesOf(counts), ['failed', 'stopped', 'done']);
  assert.equal(countsText(counts, String), '2 done, 1 not done, 1 failed');
});

test('the file contains every result, safe for a spreadsheet', () => {
  assert.equal(
    resultsCsv(rows.slice(0, 2)),
    '\uFEFFid,name,result,reason\r\n1,a,Done,\r\n2,\'=b(),Failed,"Disk ""full"""\r\n',
  );
});

test('a result has the message of the service, and says what may have been done', () => {
  const full = refusalError(500, '{"title":"Disk full","detail":"Ask the operator"}', null);
  for (const [result, outcome, reason] of [
    [{ outcome: 'done', answer: undefined }, 'done', ''],
    [{ outcome: 'done', answer: new Skipped('It has begun') }, 'skipped', 'It has begun'],
    [{ outcome: 'failed', error: full }, 'failed', 'Disk full (500). Ask the operator.'],
    [{ outcome: 'unknown', error: full }, 'unknown', 'Disk full (500). Ask the operator. It may have been done.'],
    [{ outcome: 'not-sent', why: 'stopped' }, 'stopped', 'Cancelled before it was sent'],
  ] as const)
    assert.deepEqual(itemResult(result), { outcome, reason });
  assert.deepEqual(resultOfItem({ Outcome: 'Failed', Because: 'no room' }), { outcome: 'failed', reason: 'no room' });
  assert.equal(resultOfItem({ Outcome: 'Left', Because: '' }).outcome, 'stopped');
});
