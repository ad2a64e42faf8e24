// The history that a browser stores of devices that went and came back, from readings with gaps between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  NO_HISTORY,
  statesFormat,
  watchedFormat,
  withChanges,
  withDevice,
  withReading,
  type StateHistory,
} from './state-history.ts';
import type { Away } from '#/fleet/states-read.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const FLEET = new Set(['a', 'b', 'c', 'new']);

interface Look {
  /** Minutes after the start. */
  at: number;
  away?: Record<string, Away['seen']>;
  /** Who was in the reading before. */
  had?: string[];
}
const read = (history: StateHistory, { at, away = {}, had = ['a', 'b', 'c'] }: Look) =>
  withReading(history, {
    at: START + at * MINUTE,
    every: MINUTE / 2,
    away: new Map(Object.entries(away).map(([id, seen]) => [id, { state: 'Offline', seen }])),
    has: (id) => FLEET.has(id),
    had: (id) => had.includes(id),
  });
const after = (...looks: Look[]) => looks.reduce(read, NO_HISTORY);
const changesOf = ({ changes }: StateHistory) =>
  changes.map(({ id, to, at, since }) => `${id} ${to} ${(since - START) / MINUTE}..${(at - START) / MINUTE}`);
const stretches = ({ watched }: StateHistory) =>
  watched.map(([from, to]) => `${(from - START) / MINUTE}..${(to - START) / MINUTE}`);
const seen = (minute: number) => START + minute * MINUTE;

test('the first reading is only where it begins; later ones show who went and who came', () => {
  const history = after(
    { at: 0, away: { a: seen(-100) } },
    { at: 1, away: { a: seen(-100), b: seen(0.5) } },
    { at: 2, away: { b: seen(0.5) } },
  );
  assert.deepEqual(changesOf(history), ['b Offline 0.5..0.5', 'a Online 1..2']);
  assert.deepEqual(stretches(history), ['0..2']);
  assert.equal(history.away?.get('b')?.at, seen(0.5));
});

test('nobody looked for a while: a gap, and what Last seen shows of it', () => {
  const history = after({ at: 0 }, { at: 1 }, { at: 600, away: { a: seen(300), b: undefined } }, { at: 601 });
  assert.deepEqual(stretches(history), ['0..1', '600..601']);
  assert.deepEqual(changesOf(history), [
    'a Offline 300..300',
    'b Offline 1..600',
    'a Online 600..601',
    'b Online 600..601',
  ]);
});

test('a device that was never there did not go, and neither did one that is new', () => {
  const history = after(
    { at: 0 },
    { at: 1, away: { new: Number.NaN } },
    { at: 2, away: { new: Number.NaN, c: undefined }, had: [] },
  );
  assert.deepEqual(changesOf(history), []);
  // Nor one that was last seen long before this browser saw it Online.
  assert.deepEqual(changesOf(after({ at: 0 }, { at: 1, away: { a: seen(-300) } })), []);
});

test('a first connection is marked as one, also when a reload or an event is in between', () => {
  const waiting = after({ at: 0, away: { new: Number.NaN, a: seen(-10) } });
  const firsts = ({ changes }: StateHistory) => changes.map(({ id, first }) => `${id} ${first ?? false}`).toSorted();
  assert.deepEqual(firsts(read(waiting, { at: 1 })), ['a false', 'new true']);
  const stored = { ...waiting, ...statesFormat.read(statesFormat.print(waiting)) };
  assert.deepEqual(firsts(read(stored, { at: 1 })), ['a false', 'new true']);
  const states = ['a', 'new'].map((id) => ({ id, state: 'Online', was: 'Offline', seen: seen(1) }));
  const changed = withChanges(waiting, { at: seen(1), every: MINUTE / 2, states });
  assert.deepEqual(firsts(changed), ['a false', 'new true']);
  assert.deepEqual(firsts({ ...changed, ...statesFormat.read(statesFormat.print(changed)) }), ['a false', 'new true']);
});

test('a page of its own sees one device alone, and nothing is reported twice', () => {
  const before = after({ at: 0, away: { a: seen(-10) } }, { at: 1, away: { a: seen(-10) } });
  const look = (history: StateHistory, id: string, state: string, at: number) =>
    withDevice(history, { id, state, seen: undefined, at: seen(at), since: seen(at - 0.1) });
  let history = look(before, 'b', 'Offline', 5);
  assert.equal(look(history, 'b', 'Offline', 6), history);
  history = look(look(history, 'a', 'Online', 7), 'b', 'Online', 8);
  assert.deepEqual(changesOf(history), ['b Offline 4.9..5', 'a Online 6.9..7', 'b Online 7.9..8']);
  assert.deepEqual(changesOf(read(history, { at: 9 })), changesOf(history));
  assert.deepEqual(withDevice(NO_HISTORY, { id: 'a', state: 'Offline', seen: 1, at: 2, since: 1 }), NO_HISTORY);
});

test('a deleted device does not come back', () => {
  FLEET.delete('c');
  assert.deepEqual(changesOf(after({ at: 0, away: { c: seen(-5) } }, { at: 1 })), []);
  FLEET.add('c');
});

test('a clock that is set back removes entries of the future', () => {
  const history = after({ at: 0 }, { at: 1 }, { at: 2, away: { a: undefined } }, { at: 1.5, away: { a: undefined } });
  assert.deepEqual(stretches(history), ['0..1.5']);
  assert.deepEqual(changesOf(history), []);
});

test('it is bounded, and where changes are left out nobody counts as having looked', () => {
  let history = after({ at: 0 });
  for (let at = 1; at <= 2000; at++)
    history = read(history, { at, away: at % 2 ? { a: undefined, b: undefined } : {} });
  assert.equal(history.changes.length, 3000);
  assert.equal(history.watched[0]?.[0], history.changes[0]?.at);
  const old = read(history, { at: 2000 + 9 * 24 * 60 });
  assert.deepEqual([old.changes.length, stretches(old).length], [0, 1]);
});

test('stored as text it is the same; what cannot be read is nothing', () => {
  const history = after({ at: 0, away: { a: undefined } }, { at: 1, away: { b: seen(0.5) } });
  const readTexts = (states: string, watched: string) => ({
    ...statesFormat.read(states),
    watched: watchedFormat.read(watched),
  });
  assert.deepEqual(readTexts(statesFormat.print(history), watchedFormat.print(history.watched)), history);
  for (const text of ['null', '7', '{"changes":[["a",1]],"away":"x"}', '[[1]]'])
    assert.deepEqual(readTexts(text, text), NO_HISTORY);
});

const report = (
  history: StateHistory,
  at: number,
  ...states: [id: string, state: string, seen: number | undefined][]
) =>
  withChanges(history, {
    at: START + at * MINUTE,
    every: MINUTE,
    states: states.map(([id, state, time]) => ({ id, state, seen: time, was: id === 'new' ? undefined : 'other' })),
  });

test('what is reported as it happens has exact times', () => {
  let history = report(after({ at: 0, away: { a: seen(-100) } }), 1, ['b', 'Offline', seen(0.9)]);
  history = report(history, 2, ['b', 'Online', seen(2)], ['a', 'Online', seen(2)]);
  history = report(history, 3);
  assert.deepEqual(changesOf(history), ['b Offline 0.9..0.9', 'b Online 2..2', 'a Online 2..2']);
  assert.deepEqual(stretches(history), ['0..3']);
  assert.equal(history.away?.size, 0);
});

test('what is reported after a gap happened within it', () => {
  const history = report(
    after({ at: 0, away: { a: seen(-100) } }),
    60,
    ['a', 'Online', seen(60)],
    ['b', 'Offline', seen(20)],
  );
  assert.deepEqual(changesOf(history), ['b Offline 20..20', 'a Online 0..60']);
  assert.deepEqual(stretches(history), ['0..0', '60..60']);
});

test('a new device that never was there is no change', () => {
  const history = report(after({ at: 0 }), 1, ['new', 'Offline', Number.NaN]);
  assert.deepEqual(changesOf(history), []);
  assert.equal(history.away?.get('new')?.state, 'Offline');
});
