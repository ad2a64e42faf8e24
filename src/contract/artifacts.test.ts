// Lenient reading of artifacts, and the exact form of an upload.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artifact, artifactEndpoints, artifactForm } from '#/contract/artifacts.ts';

test('a row with unexpected values is still a row', () => {
  const read = artifact.parse({ ArtifactId: 'a', Size: '12', IsScript: 'yes', Command: null });
  assert.deepEqual(
    { Size: read.Size, IsScript: read.IsScript, Command: read.Command, Name: read.Name },
    { Size: 12, IsScript: false, Command: '', Name: '' },
  );
  assert.equal(artifactEndpoints.list.response.parse({ Artifacts: [{ ArtifactId: 'a' }] }).length, 1);
});

const tarball = { size: '10', version: '1.0', type: 'tar.gz' };
const script = { ...tarball, type: 'script', destination: '/opt', command: 'sh x.sh' };
const faults = (form: object) => artifactForm.safeParse(form).error?.issues.map(({ path }) => path.join('.'));

test('the fields of an upload', () => {
  assert.equal(faults(tarball), undefined);
  assert.equal(faults(script), undefined);
  assert.deepEqual(faults({ ...tarball, size: '-1' }), ['size']);
  assert.deepEqual(faults({ ...tarball, size: '1.5' }), ['size']);
  assert.deepEqual(faults({ ...tarball, version: ' ' }), ['version']);
  assert.deepEqual(faults({ ...tarball, type: 'zip' }), ['type']);
  assert.deepEqual(faults({ ...script, destination: '' }), ['destination']);
  for (const destination of ['opt/app', './app', '../app', '~root/app', 'C:/app'])
    assert.deepEqual(faults({ ...script, destination }), ['destination'], destination);
  for (const destination of ['/', '/opt/app', '~', '~/app', ' /opt'])
    assert.equal(faults({ ...script, destination }), undefined, destination);
  assert.deepEqual(faults({ size: '1', version: '1', type: 'script' }), ['destination', 'command']);
});
