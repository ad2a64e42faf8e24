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

test('it begins where the first device was created', () => {
  const gaps = [
    { From: new Date(FROM).toISOString(), To: new Date(FROM + 8_000).toISOString() },
    { From: new Date(FROM + 9_000).toISOString(), To: new Date(FROM + 12_000).toISOString() },
  ];
  const young = columnsOf({ States: '---', Gaps: gaps });
  assert.equal(young.from, FROM + 10_000);
  assert.deepEqual([...young.seconds], [0, 10, 20]);
  assert.deepEqual(young.gaps, [{ from: FROM + 10_000, to: FROM + 12_000 }]);
  const replay = new FleetReplay(young, inPlaces(0, 1, 2));
  replay.moveTo(young.from);
  assert.deepEqual(replay.counts, { online: 0, offline: 0, unknown: 1 });
  assert.deepEqual(atOnce(curveSteps(young, ALL, 5)).offline, [null, 2, 1, 1, 1]);
  // As long as there was a device, the whole time is shown, and one without any is shown as it is.
  assert.equal(columnsOf({ States: '-O-' }).from, FROM);
  assert.equal(columnsOf({ States: '---', Changes: { Seconds: [], Device: [], State: '' } }).from, FROM);
});

test('it goes from event to event: changes of shown devices, and when the service went down and came back', () => {
  const gap = { From: new Date(FROM + 40_000).toISOString(), To: new Date(FROM + 50_500).toISOString() };
  const columns = columnsOf({ Gaps: [gap] });
  const events = (isShown: Uint8Array, from: number, step: 1 | -1) => {
    const replay = new FleetReplay(columns, { ...inPlaces(0, 1, 2), isShown }, 1);
    const found = [];
    replay.moveTo(FROM + from * 1000);
    for (let at = replay.eventBeside(step); at !== undefined; at = replay.eventBeside(step)) {
      found.push((at - FROM) / 1000);
      replay.moveTo(at);
    }
    return found;
  };
  assert.deepEqual(events(ALL, 0, 1), [10, 20, 30, 40, 50.5]);
  assert.deepEqual(events(ALL, 60, -1), [50.5, 40, 30, 20, 10]);
  assert.deepEqual(events(ALL, 20.7, -1), [10]);
  assert.deepEqual(events(Uint8Array.of(1, 0, 1), 10, 1), [20, 40, 50.5]);
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
