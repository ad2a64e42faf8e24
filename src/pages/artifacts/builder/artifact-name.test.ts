// Names, versions and what is left out: what folders suggest, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessVersion } from '#/pages/artifacts/inspect/guess.ts';
import { fileNameOf, nameFault, suggestedName, versionFault } from './artifact-name.ts';
import { whyLeftOut } from './picked-files.ts';
import { fromField } from './picked-files.ts';

test('what the name of a folder suggests', () => {
  const suggested = (folder: string) => suggestedName(folder, guessVersion(folder));
  assert.equal(suggested('sensor-hub_1.4.0'), 'sensor-hub');
  assert.equal(suggested('my app v2.1'), 'my-app');
  assert.equal(suggested('Gerät'), 'Ger-t');
  assert.equal(suggested('.hidden'), 'hidden');
  assert.equal(suggested("'; rm -rf ~"), 'rm-rf');
  assert.equal(suggested(''), '');
});

test('names and versions that mean the same everywhere, and are found again in the file name', () => {
  for (const name of ['hub', 'sensor-hub', 'a_b+c.d']) assert.equal(nameFault(name), undefined, name);
  for (const name of ['', '-x', '.x', 'a b', 'a/b', '..', "a'b", 'ü', 'x'.repeat(101)])
    assert.ok(nameFault(name), name);
  for (const version of ['1', '1.2.0', '2026.11.02', '1.0-rc.1+build.7', '1.2.0-custom5']) {
    assert.equal(versionFault(version), undefined, version);
    assert.equal(guessVersion(fileNameOf('sensor-2', version)), version);
  }
  for (const version of ['', 'v1', 'beta', '1 0', '1_0', '1/0']) assert.ok(versionFault(version), version);
});

test('what is left out at first, and why', () => {
  assert.equal(whyLeftOut('.git/HEAD'), 'version control');
  assert.equal(whyLeftOut('web/node_modules/a/index.js'), 'node_modules');
  assert.equal(whyLeftOut('a/.DS_Store'), 'system files');
  assert.equal(whyLeftOut('a/._b'), 'system files');
  assert.equal(whyLeftOut('.env'), 'hidden');
  assert.equal(whyLeftOut('update.sh'), undefined);
  assert.equal(whyLeftOut('a.git/b'), undefined);
});

test('files of a folder and files by themselves', () => {
  const file = (name: string, at = '') => Object.assign(new File(['x'], name), { webkitRelativePath: at });
  const folder = fromField([file('a', 'hub/a'), file('b', 'hub/deep/b')]);
  assert.deepEqual([folder.folder, [...folder.files.keys()]], ['hub', ['a', 'deep/b']]);
  const loose = fromField([file('a'), file('b')]);
  assert.deepEqual([loose.folder, [...loose.files.keys()]], ['', ['a', 'b']]);
});
