import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount } from '#/lib/format.ts';
import { lastPage, rangeText } from './page-range.ts';

test('with a total the range and the total are shown', () => {
  const range = { page: 2, rows: 25, shown: 25, total: 1234, more: true };
  assert.equal(rangeText(range), `26–50 of ${formatCount(1234)}`);
  assert.equal(lastPage(range), 50);
});

test('without a total a full page is "of many" and the last page is unknown', () => {
  const range = { page: 2, rows: 25, shown: 25, total: undefined, more: true };
  assert.equal(rangeText(range), '26–50 of many');
  assert.equal(lastPage(range), undefined);
});

test('without a total a page that is not full shows the count', () => {
  const range = { page: 2, rows: 25, shown: 12, total: undefined, more: false };
  assert.equal(rangeText(range), '26–37 of 37');
  assert.equal(lastPage(range), 2);
});

test('a page past the end has no rows', () => {
  assert.equal(rangeText({ page: 9, rows: 25, shown: 0, total: 30, more: false }), 'No rows of 30');
  assert.equal(rangeText({ page: 9, rows: 25, shown: 0, total: undefined, more: false }), 'No rows');
  assert.equal(lastPage({ page: 9, rows: 25, total: 0, more: false }), 1);
});
