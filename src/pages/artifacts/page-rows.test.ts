import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionRows } from './page-rows.ts';

const stored = (ArtifactId: string, Version: string, CreatedTime: string) => ({
  ArtifactId,
  Name: 'app.sh',
  Version,
  CreatedTime,
  IsScript: true,
  Command: '',
});

test('versions are in order, whatever was uploaded last, with those that only devices have', () => {
  const rows = versionRows(
    [
      stored('a', '1.10', '2026-01-01T00:00:00Z'),
      stored('b', '1.9', '2026-03-01T00:00:00Z'),
      stored('c', '1.9', '2026-02-01T00:00:00Z'),
    ],
    {
      versions: [
        { version: '1.9', devices: 2 },
        { version: '1.9.5', devices: 1 },
      ],
      total: 3,
    },
  );
  assert.deepEqual(
    rows.map(({ version, artifact }) => `${version} ${artifact?.ArtifactId ?? 'deleted'}`),
    ['1.10 a', '1.9.5 deleted', '1.9 b', '1.9 c'],
  );
});
