// The list fits the code: no entry has lost its place, and each is a change that compiles.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { AREAS, MUTATIONS } from './list.ts';
import { mutate } from './mutation.ts';

const root = path.join(import.meta.dirname, '../..');

for (const mutation of MUTATIONS)
  void test(`${mutation.area}: ${mutation.name}`, () => {
    const mutated = mutate(readFileSync(path.join(root, mutation.file), 'utf8'), mutation);
    // A syntax error would be noticed by every test.
    if (mutation.file.endsWith('.sh')) execFileSync('sh', ['-n'], { input: mutated });
    else stripTypeScriptTypes(mutated, { mode: 'strip' });
    for (const file of mutation.tests ?? AREAS[mutation.area])
      assert.ok(existsSync(path.join(root, file)), `There is no ${file}.`);
  });

test('each name is there once, and each area has mutations', () => {
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length);
  for (const area of Object.keys(AREAS))
    assert.ok(
      MUTATIONS.some((mutation) => mutation.area === area),
      area,
    );
});
