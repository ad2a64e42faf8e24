// Versions of one artifact: grouped by name, and the next one suggested.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artifact } from '#/contract/artifacts.ts';
import { groupVersions, nameWithout, nextVersion, searchVersions, suggestedVersion } from './artifact-versions.ts';

let made = 0;
const at = (Name: string, Version: string) =>
  artifact.parse({
    ArtifactId: `a${made}`,
    Name,
    Version,
    CreatedTime: new Date(1_700_000_000_000 + made++ * 60_000).toISOString(),
  });

test('the version leaves the name only where it is the version', () => {
  assert.equal(nameWithout('1.2.0', 'myapp_1.2.0.tar.gz'), 'myapp.tar.gz');
  assert.equal(nameWithout('v1.2.0', 'myapp-v1.2.0.tar.gz'), 'myapp.tar.gz');
  assert.equal(nameWithout('2', 'sensor-2.sh'), 'sensor.sh');
  assert.equal(nameWithout('1.0.0', 'sensor-2.sh'), 'sensor-2.sh');
  assert.equal(nameWithout('2', 'sha256.sh'), 'sha256.sh');
  assert.equal(nameWithout('', 'a.sh'), 'a.sh');
  assert.equal(nameWithout('7', '7.sh'), '7.sh');
  assert.equal(nameWithout('(.*', 'a_(.*.sh'), 'a.sh');
});

test('versions of one name are one group, the newest on top', () => {
  const groups = groupVersions([
    at('app_1.0.tar.gz', '1.0'),
    at('tool.sh', '1'),
    at('app_1.1.tar.gz', '1.1'),
    at('tool.sh', '2'),
    at('alone.sh', '9'),
  ]);
  assert.deepEqual(
    groups.map(({ name, artifacts }) => [name, ...artifacts.map(({ Version }) => Version)]),
    [
      ['alone.sh', '9'],
      ['tool.sh', '2', '1'],
      ['app.tar.gz', '1.1', '1.0'],
    ],
  );
});

test('a name brings all of its versions, a version or an id only itself', () => {
  const old = at('app_1.0.tar.gz', '1.0');
  const groups = groupVersions([old, at('app_1.1.tar.gz', '1.1'), at('tool.sh', '1.0')]);
  const found = (wanted: string, ...always: string[]) =>
    searchVersions(groups, wanted, new Set(always)).map(({ artifacts }) => artifacts.map(({ Version }) => Version));
  assert.deepEqual(found(''), [['1.0'], ['1.1', '1.0']]);
  assert.deepEqual(found('APP'), [['1.1', '1.0']]);
  assert.deepEqual(found('1.0'), [['1.0'], ['1.0']]);
  assert.deepEqual(found('app_1.1.tar.gz 1.1'), [['1.1']]);
  assert.deepEqual(found(old.ArtifactId), [['1.0']]);
  assert.deepEqual(found('nothing', old.ArtifactId), [['1.0']]);
});

test('the next version', () => {
  const next: [string, string][] = [
    ['1.2.3', '1.2.4'],
    ['v9', 'v10'],
    ['1.9', '1.10'],
    ['2.0-rc.1', '2.0-rc.2'],
    ['2026.09', '2026.10'],
    ['2026.11.02', '2026.11.03'],
    ['1.2.3-night', '1.2.4-night'],
    ['99999999999999999999', '100000000000000000000'],
    ['stable', ''],
    ['1a2b3c4', ''],
    ['', ''],
  ];
  for (const [version, expected] of next) assert.equal(nextVersion(version), expected, version);
});

test('the suggestion follows the last upload of the name, and is free', () => {
  const registry = [at('app.tar.gz', '1.2.4'), at('app.tar.gz', '1.2.3'), at('tool_1.5.sh', '1.5'), at('x.sh', 'blue')];
  assert.equal(suggestedVersion('app.tar.gz', registry), '1.2.5');
  assert.equal(suggestedVersion('tool.sh', registry), '1.6');
  assert.equal(suggestedVersion('x.sh', registry), '');
  assert.equal(suggestedVersion('new.sh', registry), '');
});
