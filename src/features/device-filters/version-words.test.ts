import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunsFilter } from '#/fleet/filter.ts';
import { indexOf } from '#/fleet/index-of.ts';
import { aDevice } from '#/fleet/fake-service.ts';
import { devicesRunning, versionChoices, versionWords } from './version-words.ts';

test('a filter by version says what it means', () => {
  assert.equal(versionWords({ artifact: 'myapp' }), 'Any myapp');
  assert.equal(versionWords({ artifact: 'myapp', version: '1.0' }), 'myapp 1.0');
  assert.equal(versionWords({ artifact: 'myapp', other: '1.0' }), 'myapp, not 1.0');
  assert.equal(versionWords({ artifact: 'myapp', none: true }), 'No myapp');
});

test('each artifact offers its versions, what is not of them, and none, with the devices of each', () => {
  const counts = [
    { ArtifactName: 'driver', Version: '7', Devices: 1 },
    { ArtifactName: 'myapp', Version: '1.0', Devices: 3 },
    { ArtifactName: 'myapp', Version: '2.0', Devices: 2 },
  ];
  const choices = versionChoices(counts, 9).map(({ value, count }) => `${value}: ${count}`);
  assert.deepEqual(choices, [
    'driver 7: 1',
    'driver, not 7: 0',
    'No driver: 8',
    'myapp 1.0: 3',
    'myapp 2.0: 2',
    'myapp, not 1.0: 2',
    'myapp, not 2.0: 3',
    'No myapp: 4',
  ]);
});

test('a filter by version matches one version, any other, any at all, or none', () => {
  const fleet = indexOf([0, 1, 2].map((n) => aDevice(n)));
  const versions = new Map(Object.entries({ 'id-0': '1', 'id-1': '2' }));
  const matching = (runs: Omit<RunsFilter, 'artifact'>) =>
    fleet.ids(fleet.query({ filter: { running: devicesRunning({ artifact: 'myapp', ...runs }, versions) } }));
  assert.deepEqual(matching({ version: '1' }), ['id-0']);
  assert.deepEqual(matching({ other: '1' }), ['id-1']);
  assert.deepEqual(matching({}), ['id-0', 'id-1']);
  assert.deepEqual(matching({ none: true }), ['id-2']);
});
