// The answers to errors of the store: each kind has its own status, and faults say when to come back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, Problem, problemOf } from './problem.ts';
import * as errors from '../store/errors.ts';

test('each error of the store has an answer of its own, in the same words', () => {
  const statuses: Record<string, number> = {
    NotFound: 404,
    InvalidInput: 400,
    LimitReached: 403,
    Conflict: 409,
    FileUnusable: 410,
    TooLarge: 413,
    Unavailable: 503,
  };
  // One has a title of its own.
  const isBase = (name: string) => ['StoreError', 'Refusal', 'ReachesOutside'].includes(name);
  const kinds = Object.entries(errors).filter(([name]) => /^[A-Z]/.test(name) && !isBase(name));
  for (const [name, kind] of kinds) {
    const made = new (kind as new (message: string, detail: string) => errors.StoreError)('It failed', 'Do this.');
    const { type: _, ...body } = problemOf(made)?.body() ?? { type: '' };
    assert.deepEqual(body, { title: 'It failed', status: statuses[name], detail: 'Do this.' }, name);
  }
});

test('what reaches outside the groups of a role is a 403', () => {
  const refused = problemOf(new errors.ReachesOutside('Only 3 of them are in your groups.'));
  assert.equal(refused?.status, 403);
  assert.equal(refused.detail, 'Only 3 of them are in your groups.');
});

test('invalid fields and the time to wait reach the client', () => {
  const fields = [{ field: 'Channels', message: 'names no channel "x"' }];
  const refused = new errors.InvalidInput('The request is not valid', 'Channels names no channel "x".', { fields });
  assert.deepEqual(problemOf(refused)?.body(), invalid(fields).body());
  const busy = new errors.Unavailable('Busy', 'Try again.', { retryAfterSeconds: 5 });
  assert.equal(problemOf(busy)?.response().headers.get('Retry-After'), '5');
});

test('a fault of the machine has an answer, a bug has none, and a Problem is its own', () => {
  assert.equal(problemOf(Object.assign(new Error('no space'), { code: 'ENOSPC' }))?.status, 503);
  assert.equal(problemOf(new TypeError('a bug')), undefined);
  const problem = new Problem(418, 'A teapot');
  assert.equal(problemOf(problem), problem);
});
