import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexLines } from '#/ui/log-view-lines.ts';
import { MOST_MATCHES, searchLines } from '#/ui/log-view-search.ts';

const search = (text: string, query: string) => searchLines(indexLines(text), query, new AbortController().signal);

test('finds a text in any letter case, with its place in its row', async () => {
  assert.deepEqual(await search('Error here\nnone\nan ERROR, error\n', 'error'), [
    { row: 0, from: 0, to: 5 },
    { row: 2, from: 3, to: 8 },
    { row: 2, from: 10, to: 15 },
  ]);
});

test('takes the letters of a query as they are', async () => {
  assert.deepEqual(await search('a.c abc (x) [y]', 'a.c'), [{ row: 0, from: 0, to: 3 }]);
  assert.deepEqual(await search('(x) $1 \\d', '$1 \\d'), [{ row: 0, from: 4, to: 9 }]);
});

test('colour codes within a word do not hide it', async () => {
  assert.deepEqual(await search('first\nno \u001b[31mspa\u001b[1mce\u001b[0m left', 'space'), [
    { row: 1, from: 3, to: 8 },
  ]);
});

test('finds everything across the slices of a long text, up to a limit', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const text = `${line.repeat(9_000)}needle\n${line.repeat(9_000)}needle`;
  assert.deepEqual(await search(text, 'needle'), [
    { row: 9_000, from: 0, to: 6 },
    { row: 18_001, from: 0, to: 6 },
  ]);
  assert.equal((await search('x'.repeat(MOST_MATCHES + 10), 'x'))?.length, MOST_MATCHES);
});

test('a search that was called off gives nothing', async () => {
  assert.equal(await searchLines(indexLines('some text'), 'text', AbortSignal.abort()), undefined);
});
