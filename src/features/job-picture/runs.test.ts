import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, durations, isInBrush, medianAndSlowest, roundStep, timeline, withBeyond, type Run } from './runs.ts';

const BEGIN = Date.UTC(2026, 10, 3, 22);
const run = (key: string, from: number, to: number | undefined, state: Run['state'] = 'succeeded'): Run => ({
  key,
  name: key,
  from: BEGIN + from,
  to: to === undefined ? undefined : BEGIN + to,
  state,
});
const of = (series: { label: string; values: readonly (number | null)[] }[], label: string) =>
  series.find((each) => each.label === label)?.values;

test('a step is round and long enough', () => {
  assert.deepEqual(
    [1_000, 96_000, 97_000, 3_600_000, 30 * 86_400_000].map((length) => roundStep(length, 96)),
    [1_000, 1_000, 2_000, 60_000, 43_200_000],
  );
});

test('devices run, then have ended, and none is counted twice', () => {
  const runs = [run('a', 0, 10_000), run('b', 5_000, 50_000, 'failed'), run('c', 20_000, 96_000)];
  const { x, step, series } = timeline(runs, BEGIN + 500_000);
  assert.equal(step, 1_000);
  assert.equal(x[0], BEGIN);
  const at = (second: number) => ['Running', 'Succeeded', 'Failed'].map((label) => of(series, label)?.[second]);
  assert.deepEqual(at(0), [1, 0, 0]);
  assert.deepEqual(at(7), [2, 0, 0]);
  assert.deepEqual(at(10), [1, 1, 0]);
  assert.deepEqual(at(60), [1, 1, 1]);
  assert.deepEqual(at(96), [0, 2, 1]);
});

test('the axis of a running job holds still while time passes, and knows nothing of the future', () => {
  const runs = [run('a', 0, undefined, 'running'), run('b', 0, 1_000)];
  const [early, later] = [60_100, 60_900].map((now) => ({ ...axisOf(runs, BEGIN + now), last: 0 }));
  assert.deepEqual(early, later);
  const { series } = timeline(runs, BEGIN + 60_500);
  assert.equal(of(series, 'Running')?.[60], 1);
  assert.equal(of(series, 'Running')?.at(-1), null);
});

test('durations count only devices that have ended, and the slowest is in the last bucket', () => {
  const runs = [
    run('a', 0, 1_000),
    run('b', 0, 1_400, 'failed'),
    run('c', 0, 27_000),
    run('d', 0, undefined, 'running'),
  ];
  const { step, series } = durations(runs);
  assert.equal(step, 1_000);
  assert.equal(of(series, 'Succeeded')?.[1], 1);
  assert.equal(of(series, 'Failed')?.[1], 1);
  assert.equal(of(series, 'Succeeded')?.at(-1), 1);
  assert.equal(of(series, 'Running'), undefined);
  const found = medianAndSlowest(runs);
  assert.equal(found?.median, 1_400);
  assert.equal(found?.slowest.key, 'c');
  assert.equal(medianAndSlowest([]), undefined);
});

test('a brush over time takes what ran in it, one over durations what took so long', () => {
  const all = { time: undefined, took: undefined };
  const time = { from: 10, to: 20 };
  const hits = (from: number | undefined, to: number | undefined) => isInBrush({ from, to }, { time, took: undefined });
  assert.deepEqual(
    [hits(0, 9), hits(0, 10), hits(0, undefined), hits(15, 16), hits(20, 30), hits(undefined, undefined)],
    [false, true, true, true, false, false],
  );
  assert.equal(isInBrush({ from: undefined, to: undefined }, all), true);
  const took = { from: 5, to: 10 };
  const long = (to: number | undefined) => isInBrush({ from: 0, to }, { time: undefined, took });
  assert.deepEqual([long(4), long(5), long(9), long(10), long(undefined)], [false, true, true, false, false]);
});

test('ten thousand devices make no more buckets than ten', () => {
  const runs = Array.from({ length: 10_000 }, (_, index) => run(String(index), index * 500, index * 500 + 30_000));
  const { x, series } = timeline(runs, BEGIN);
  assert.ok(x.length <= 97);
  assert.equal(of(series, 'Succeeded')?.at(-1), 10_000);
});

test('a straggler leaves the rest its room, and is counted at the end of both axes', () => {
  const HOUR = 3_600_000;
  const rest = Array.from({ length: 20 }, (_, index) => run(`${index}`, 0, 10_000 + index * 1_000));
  const runs = [...rest, run('straggler', 0, 9 * HOUR, 'failed')];
  const [usual, cut] = [axisOf(rest, BEGIN), axisOf(runs, BEGIN)];
  assert.deepEqual([cut.end, cut.step], [usual.end, usual.step]);
  assert.equal(cut.last, BEGIN + 9 * HOUR);
  assert.equal(of(timeline(runs, BEGIN + 10 * HOUR).series, 'Failed')?.at(-1), 1);
  const took = durations(runs);
  assert.equal(took.x.length, durations(rest).x.length + 1);
  assert.equal(of(took.series, 'Failed')?.at(-1), 1);
  assert.equal(of(took.series, 'Succeeded')?.at(-1), 0);
});

test('a job that takes long for many devices is shown whole', () => {
  const runs = Array.from({ length: 20 }, (_, index) => run(`${index}`, 0, index < 10 ? 1_000 : 3_600_000));
  const { end, last } = axisOf(runs, BEGIN);
  assert.ok(end > last);
});

test('a selection up to the end of an axis takes the stragglers beyond it', () => {
  const axis = { x: [0, 10, 20], step: 10, most: 900 };
  assert.deepEqual(withBeyond({ from: 20, to: 30 }, axis), { from: 20, to: 910 });
  assert.deepEqual(withBeyond({ from: 10, to: 20 }, axis), { from: 10, to: 20 });
  assert.deepEqual(withBeyond({ from: 20, to: 30 }, { ...axis, most: 25 }), { from: 20, to: 30 });
  assert.equal(withBeyond(undefined, axis), undefined);
});
