// What a deletion that was answered with 404 is said to have done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#/api/api-error.ts';
import { Skipped } from './skipped.ts';
import { removeOne } from './remove-one.ts';

const refused = (status: number) => () => Promise.reject(new ApiError('refused', 'x', { status }));
const there = (is: boolean) => () => Promise.resolve(is);

test('only an answer of success is a deletion', async () => {
  assert.equal(await removeOne('devices', there(true), there(true)), undefined);
  assert.ok((await removeOne('devices', refused(404), there(false))) instanceof Skipped);
  await assert.rejects(removeOne('devices', refused(404), there(true)), /This service does not delete devices/);
  await assert.rejects(removeOne('devices', refused(404), refused(503)), { status: 503 });
  await assert.rejects(removeOne('devices', refused(500), there(false)), { status: 500 });
});
