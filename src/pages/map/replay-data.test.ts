import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '#/lib/pace.ts';
import { FleetReplay, curveSteps, readReplay, spanAround, STATES } from './replay-data.ts';

const FROM = Date.UTC(2026, 0, 1);
const answer = {
  From: new Date(FROM).toISOString(),
  Devices: ['a', 'b', 'c'],
  States: 'OOO',
  Changes: { Seconds: [10, 20, 30], Device: [1, 0, 1], State: 'FFO' },
  Gaps: [] as { From: string; To: string }[],
};
const columnsOf = (change: Partial<typeof answer> = {}) =>
  readReplay(JSON.stringify({ ...answer, ...change }), FROM + 60_000);
const ALL = Uint8Array.of(1, 1, 1);
const inPlaces = (...placeOf: number[]) => ({ isShown: ALL, placeOf: Int32Array.from(placeOf), places: 3 });

test('the site that went down first comes first, and leaves when it is back', () => {
  const replay = new FleetReplay(columnsOf(), inPlaces(0, 1, 2));
  const down = (second: number, most = 3) => {
    replay.moveTo(FROM + second * 1000);
    return replay.downPlaces(most).first.map(({ place, since }) => [place, ((since ?? 0) - FROM) / 1000]);
  };
  assert.deepEqual(down(25), [
    [1, 10],
    [0, 20],
  ]);
  assert.deepEqual(down(25, 1), [[1, 10]]);
  assert.equal(replay.downPlaces(1).count, 2);
  assert.deepEqual(down(30), [[0, 20]]);
  assert.deepEqual(down(9), []);
});

test('a site that was down from the beginning comes last, since it is not known for how long', () => {
  const replay = new FleetReplay(columnsOf({ States: 'OOF' }), inPlaces(0, 1, 2));
  replay.moveTo(FROM + 25_000);
  assert.deepEqual(
    replay.downPlaces(3).first.map(({ place, since }) => [place, since === undefined]),
    [
      [1, false],
      [0, false],
      [2, true],
    ],
  );
});

test('devices that the filter leaves out count nowhere', () => {
  const isShown = Uint8Array.of(1, 0, 1);
  const columns = columnsOf();
  const replay = new FleetReplay(columns, { ...inPlaces(0, 1, 2), isShown });
  replay.moveTo(FROM + 25_000);
  assert.deepEqual(replay.counts, { online: 1, offline: 1, unknown: 0 });
  assert.deepEqual(
    replay.downPlaces(3).first.map(({ place }) => place),
    [0],
  );
  assert.deepEqual(atOnce(curveSteps(columns, isShown, 6)).online, [2, 2, 1, 1, 1, 1]);
});

test('while the service was down every device is Unknown, on the map too', () => {
  const gap = { From: new Date(FROM + 15_000).toISOString(), To: new Date(FROM + 25_000).toISOString() };
  const columns = columnsOf({ States: 'OO-', Gaps: [gap] });
  const replay = new FleetReplay(columns, inPlaces(0, 1, 2));
  // The second point is a device that the replay does not have; the group's number stays.
  const kinds = Uint8Array.of(4, 4, 4);
  const at = (second: number) => {
    replay.moveTo(FROM + second * 1000);
    replay.write(kinds, Int32Array.of(1, -1, 2));
    return [...kinds];
  };
  const { offline, unknown, absent } = STATES;
  assert.deepEqual(at(14), [4 + offline, 4 + absent, 4 + absent]);
  assert.deepEqual(at(15), [4 + unknown, 4 + absent, 4 + absent]);
  assert.equal(replay.stateOf(1), unknown);
  assert.deepEqual(at(25), [4 + offline, 4 + absent, 4 + absent]);
  assert.deepEqual(atOnce(curveSteps(columns, ALL, 12)).online, [2, 2, 1, null, null, 0, 1, 1, 1, 1, 1, 1]);
});

test('a move says whether anything changed', () => {
  const replay = new FleetReplay(columnsOf(), inPlaces(0, 0, 0));
  assert.deepEqual(
    [9, 10, 11, 40, 41, 5].map((second) => replay.moveTo(FROM + second * 1000)),
    [false, true, false, true, false, true],
  );
});

test('an answer whose columns do not fit is refused', () => {
  assert.throws(() => columnsOf({ States: 'O' }), TypeError);
  assert.throws(() => columnsOf({ Changes: { ...answer.Changes, Device: [1] } }), TypeError);
  assert.throws(() => columnsOf({ Changes: { ...answer.Changes, Device: [1, 0, 3] } }), TypeError);
});

test('a time within the last day is replayed with that day, an earlier one with the day around it', () => {
  assert.deepEqual(spanAround(undefined, 24, 100), { from: 76, to: 100 });
  assert.deepEqual(spanAround(80, 24, 100), { from: 76, to: 100 });
  assert.deepEqual(spanAround(50, 24, 100), { from: 38, to: 62 });
});
