import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionChoices, versionWords } from './version-words.ts';

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
