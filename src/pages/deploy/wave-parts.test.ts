import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaveRow } from './rollout-settings.ts';
import { handleRange, keyTarget, moveHandle, wavePartsOf } from './wave-parts.ts';

const percents = (...values: number[]): WaveRow[] => values.map((value) => ({ kind: 'percent', value }));
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `d${from + at}`);
const edges = (...parts: Parameters<typeof wavePartsOf>) => wavePartsOf(...parts).map(({ from, to }) => [from, to]);

test('percentages are the edges of the parts', () => {
  assert.deepEqual(edges(percents(1, 10, 100), undefined, new Set()), [
    [0, 1],
    [1, 10],
    [10, 100],
  ]);
});

test('a number of devices takes its share of the bar, and no room of a later percentage', () => {
  const waves: WaveRow[] = [{ kind: 'count', value: 2 }, ...percents(50, 100)];
  const plan = (first: number) => ({
    Waves: [first, 5 - first, 5].map((count) => ({ Devices: ids(count), Offline: 0 })),
    Left: [],
  });
  assert.deepEqual(edges(waves, plan(2), new Set())[0], [0, 20]);
  assert.deepEqual(edges([{ kind: 'count', value: 8 }, ...percents(50, 100)], plan(5), new Set()), [
    [0, 50],
    [50, 50],
    [50, 100],
  ]);
});

test('what no wave takes is a last part, with its Offline devices', () => {
  const plan = { Waves: [{ Devices: ids(1), Offline: 1 }], Left: ids(3, 1) };
  const parts = wavePartsOf(percents(25), plan, new Set(['d0', 'd2']));
  assert.deepEqual(
    parts.map(({ to, planned }) => [to, planned?.Devices.length, planned?.Offline]),
    [
      [25, 1, 1],
      [100, 3, 1],
    ],
  );
});

test('a plan for another number of waves is ignored', () => {
  const plan = { Waves: [{ Devices: ids(4), Offline: 0 }], Left: [] };
  assert.deepEqual(
    wavePartsOf(percents(10, 100), plan, new Set()).map(({ planned }) => planned),
    [undefined, undefined],
  );
});

test('a handle stays between its neighbours', () => {
  const waves: WaveRow[] = [...percents(1), { kind: 'count', value: 3 }, ...percents(10, 100)];
  assert.deepEqual(handleRange(waves, 2), { least: 2, most: 99 });
  assert.deepEqual(moveHandle(waves, 2, 0.4)[2], { kind: 'percent', value: 2 });
  assert.deepEqual(moveHandle(waves, 2, 120)[2], { kind: 'percent', value: 99 });
  assert.deepEqual(moveHandle(percents(10, 50), 1, 120)[1], { kind: 'percent', value: 100 });
});

test('keys move a handle by 1 or 10, and to its limits', () => {
  const range = { least: 2, most: 99 };
  const keys = ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End', 'a'];
  assert.deepEqual(
    keys.map((key) => keyTarget(key, 20, range)),
    [19, 21, 30, 10, 2, 99, undefined],
  );
});
