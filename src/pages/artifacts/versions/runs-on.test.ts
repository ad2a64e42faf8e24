import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsByName } from './runs-on.ts';

test('versions are counted by name, the newest first', () => {
  const count = (ArtifactName: string, Version: string, Devices: number) => ({ ArtifactName, Version, Devices });
  const found = runsByName([count('app', '1.10.0', 2), count('app', '1.9.0', 7), count('other', '1.0', 1)]);
  assert.deepEqual(found.get('app'), {
    versions: [
      { version: '1.10.0', devices: 2 },
      { version: '1.9.0', devices: 7 },
    ],
    total: 9,
  });
  assert.equal(found.get('other')?.total, 1);
});
