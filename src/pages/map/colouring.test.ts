import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE, REST, colouredGroups, colouredVersions, numberByVersion } from './colouring.ts';

test('the largest groups have colours, devices without a group never', () => {
  const groups = Array.from({ length: 10 }, (_, i) => ({ value: i === 0 ? '' : `g${i}`, count: i === 0 ? 99 : i }));
  assert.deepEqual(colouredGroups(groups), ['g9', 'g8', 'g7', 'g6', 'g5', 'g4', 'g3', 'g2']);
});

test('the versions on most devices have colours, in the order of their numbers', () => {
  const counts = { '1.9': 5, '1.10': 4, '2.0-rc.1': 3, '1.2': 6, '1.1': 2, '1.0': 1, '0.9': 1 };
  const versions = new Map(
    Object.entries(counts).flatMap(([version, count]) =>
      Array.from({ length: count }, (_, i): [string, string] => [`${version} ${i}`, version]),
    ),
  );
  const { names, counts: devices, rest } = colouredVersions(versions);
  assert.deepEqual(names, ['2.0-rc.1', '1.10', '1.9', '1.2', '1.1']);
  assert.deepEqual([devices, rest], [[3, 4, 5, 6, 2], 2]);
  const numberOf = numberByVersion(versions, names, ['1.10 0', '0.9 0', 'without']);
  assert.deepEqual(
    [0, 1, 2].map((place) => numberOf(0, place)),
    [1, REST, NONE],
  );
  assert.deepEqual(colouredVersions(new Map([['a', '1']])), { names: ['1'], counts: [1], rest: 0 });
});
