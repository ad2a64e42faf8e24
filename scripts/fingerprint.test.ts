import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fingerprint } from './fingerprint.ts';

describe('a fingerprint', () => {
  let root = '';
  const now = () => fingerprint(root, ['index.html', 'src']);
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fingerprint-'));
    mkdirSync(join(root, 'src/pages'), { recursive: true });
    write('index.html', '<html>');
    write('src/main.ts', 'one');
    write('src/pages/page.ts', 'two');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('changes with the content, even at the same size and time', () => {
    const before = now();
    const { atime, mtime } = statSync(join(root, 'src/pages/page.ts'));
    write('src/pages/page.ts', 'TWO');
    utimesSync(join(root, 'src/pages/page.ts'), atime, mtime);
    assert.notEqual(now(), before);
    write('src/pages/page.ts', 'two');
    assert.equal(now(), before);
  });

  test('changes with a new, a missing and a renamed file', () => {
    const seen = new Set([now()]);
    write('src/new.ts', '');
    seen.add(now());
    renameSync(join(root, 'src/new.ts'), join(root, 'src/newer.ts'));
    seen.add(now());
    rmSync(join(root, 'index.html'));
    seen.add(now());
    assert.equal(seen.size, 4);
  });

  test('is not changed by tests, times and files beside the sources', () => {
    const before = now();
    write('src/main.test.ts', 'test');
    write('README.md', 'read me');
    utimesSync(join(root, 'src/main.ts'), 1, 1);
    assert.equal(now(), before);
  });
});
