import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { RequestError, isUnanswered, meaningOf, retryDelay, shouldRetry, type RequestErrorKind } from './retry.ts';

const failed = (kind: RequestErrorKind, status = 0, retryAfter?: number) =>
  new RequestError(kind, `${kind} ${status}`, { status, retryAfter });
const status = (code: number) => failed('refused', code);

test('what each kind of error means, and what is repeated', () => {
  // meaning, a read is sent again, a write is sent again, the service may still be working on it
  const table: [Error, ReturnType<typeof meaningOf>, boolean, boolean, boolean][] = [
    [status(400), 'refused', false, false, false],
    [status(401), 'signed-out', false, false, false],
    [status(403), 'refused', false, false, false],
    [status(404), 'refused', false, false, false],
    [status(409), 'refused', false, false, false],
    [status(429), 'later', true, true, false],
    [status(500), 'unknown', false, false, false],
    [status(501), 'refused', false, false, false],
    [status(502), 'unknown', true, false, true],
    [status(503), 'later', true, true, false],
    [status(504), 'unknown', true, false, true],
    [status(507), 'unknown', false, false, false],
    [failed('network'), 'unknown', true, false, true],
    [failed('timeout'), 'unknown', false, false, true],
    [failed('unexpected', 200), 'unknown', false, false, true],
    [new TypeError('a mistake of ours'), 'refused', false, false, false],
  ];
  for (const [error, ...expected] of table)
    assert.deepEqual(
      [meaningOf(error), shouldRetry(0, error), shouldRetry(0, error, 'write'), isUnanswered(error)],
      expected,
      error.message,
    );
});

test('a read is repeated at most three times, a write five times', () => {
  const times = (request: 'read' | 'write') =>
    [0, 1, 2, 3, 4, 5, 6].filter((n) => shouldRetry(n, status(503), request));
  assert.deepEqual([times('read').length, times('write').length], [3, 5]);
});

test('waits grow up to eight seconds, with jitter, on top of what the service asked for', () => {
  const random = mock.method(Math, 'random', () => 1);
  try {
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((failures) => retryDelay(failures, status(503))),
      [500, 1000, 2000, 4000, 8000, 8000],
    );
    assert.equal(retryDelay(0, failed('refused', 429, 7)), 7500);
    random.mock.mockImplementation(() => 0);
    assert.equal(retryDelay(3, failed('refused', 429, 7)), 7000);
  } finally {
    random.mock.restore();
  }
});
