import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalError } from '#/api/api-error.ts';
import { Skipped } from '#/api/skipped.ts';
import {
  countResults,
  countsText,
  itemResult,
  outcomesOf,
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

test('what failed comes first, and counts say what there is', () => {
  assert.deepEqual(
    sortResults(rows).map(({ id }) => id),
    ['2', '3', '1', '4'],
  );
  const counts = countResults(rows);
  assert.deepEqual(counts, { done: 2, failed: 1, skipped: 0, unknown: 0, stopped: 1 });
  assert.deepEqual(outcomesOf(counts), ['failed', 'stopped', 'done']);
  assert.equal(countsText(counts, String), '2 done, 1 not sent, 1 failed');
});

test('the file holds every result, safe for a spreadsheet', () => {
  assert.equal(
    resultsCsv(rows.slice(0, 2)),
    '\uFEFFid,name,result,reason\r\n1,a,Done,\r\n2,\'=b(),Failed,"Disk ""full"""\r\n',
  );
});

test('a result has the message of the service, and what reading it again has shown', () => {
  const full = refusalError(500, '{"title":"Disk full","detail":"Ask the operator"}', null);
  const gone = refusalError(404, '{"detail":"There is no device d"}', null);
  for (const [result, outcome, reason] of [
    [{ outcome: 'done' }, 'done', ''],
    [{ outcome: 'done', answer: new Skipped('It has begun') }, 'skipped', 'It has begun'],
    [{ outcome: 'failed', error: full }, 'failed', 'Disk full (500). Ask the operator.'],
    [
      { outcome: 'failed', error: full, checked: true },
      'failed',
      'Disk full (500). Ask the operator. A second read shows that nothing changed.',
    ],
    [
      { outcome: 'unknown', error: full, trouble: gone },
      'unknown',
      'Disk full (500). Ask the operator. The second read failed too: Not found (404). There is no device d.',
    ],
    [{ outcome: 'stopped', reason: 'cancelled' }, 'stopped', 'Cancelled before it was sent'],
  ] as const)
    assert.deepEqual(itemResult(result), { outcome, reason });
});
