import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countResults, countsText, outcomesOf, resultsCsv, sortResults } from './bulk-results.ts';
import type { ResultRow } from './bulk-results.ts';

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
