import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeName } from './former-views.ts';

test('a name that is taken gets a number, in the length that the service accepts', () => {
  const views = [{ Name: 'North' }, { Name: 'north 2' }];
  assert.equal(freeName(views, '  North '), 'North 3');
  assert.equal(freeName(views, ''), 'View');
  const long = freeName([{ Name: 'x'.repeat(75) }], 'x'.repeat(300));
  assert.deepEqual([long.length, long.slice(-2)], [77, ' 2']);
});
