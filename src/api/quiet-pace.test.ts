// Less and less often while nothing changes, and all of a page together at most twelve times a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuietPace } from './quiet-pace.ts';

/** The requests of one minute, after some minutes in which each reading brings what `dataOf` says. */
function requestsOfMinute(sources: { usual: number; requests: number }[], dataOf: (at: number) => unknown): number {
  const pace = new QuietPace();
  const all = sources.map((source) => ({ ...source, due: 0 }));
  let sent = 0;
  for (let at = 0; at < 600_000; at += 500)
    for (const source of all) {
      if (source.due > at) continue;
      if (at >= 540_000) sent += source.requests;
      source.due = at + pace.next(source, { data: dataOf(at), at }, source.usual, source.requests);
    }
  return sent;
}

const PAGE = [
  { usual: 1_000, requests: 1 },
  { usual: 5_000, requests: 1 },
  { usual: 10_000, requests: 2 },
  { usual: 20_000, requests: 1 },
];

test('a page on which nothing changes sends at most twelve requests a minute', () => {
  assert.ok(requestsOfMinute(PAGE, () => 'same') <= 12);
  assert.ok(requestsOfMinute([{ usual: 500, requests: 1 }], () => 'same') <= 12);
});

test('what changes is read as often as usual', () => {
  assert.equal(
    requestsOfMinute([{ usual: 1_000, requests: 1 }], (at) => at),
    60,
  );
});

test('one change after a long rest is enough for the usual pace', () => {
  const pace = new QuietPace();
  const source = {};
  let at = 0;
  for (let reading = 0; reading < 20; reading++) at += pace.next(source, { data: 'same', at }, 1_000);
  assert.equal(pace.next(source, { data: 'same', at }, 1_000), 7_000);
  assert.equal(pace.next(source, { data: 'another', at: at + 1 }, 1_000), 1_000);
});

test('a question between two readings gets the same answer', () => {
  const pace = new QuietPace();
  const source = {};
  for (let at = 0; at < 60_000; at += 5_000) {
    const next = pace.next(source, { data: 'same', at }, 1_000);
    assert.equal(pace.next(source, { data: 'same', at }, 1_000), next);
  }
});

test('what another page read does not count for long', () => {
  const pace = new QuietPace();
  for (let nth = 0; nth < 20; nth++) pace.next({}, { data: '', at: 0 }, 1_000);
  const source = {};
  let next = 0;
  for (let at = 300_000; at < 400_000; at += 5_000) next = pace.next(source, { data: 'same', at }, 1_000);
  assert.equal(next, 7_000);
});
