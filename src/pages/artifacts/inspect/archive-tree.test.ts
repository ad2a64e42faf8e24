// The rows of an archive's tree: order, sums, folders nobody named, and what is seen when folders are closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modeText, seenRows, treeOf, type TreeEntry } from './archive-tree.ts';

const file = (path: string, size = 1, mode = 0o644): TreeEntry => ({ path, kind: 'file', size, mode, target: '' });
const folder = (path: string): TreeEntry => ({ path, kind: 'folder', size: 0, mode: 0o755, target: '' });

const rows = treeOf([file('update.sh', 20), file('a/b10', 5), file('a/b9', 7), file('a/deep/x', 100), folder('z/')]);

test('folders first, numbers as people count, sums above what they sum', () => {
  assert.deepEqual(
    rows.map(({ path, depth, kind, size, files }) => [path, depth, kind, size, files]),
    [
      ['a', 1, 'folder', 112, 3],
      ['a/deep', 2, 'folder', 100, 1],
      ['a/deep/x', 3, 'file', 100, 1],
      ['a/b9', 2, 'file', 7, 1],
      ['a/b10', 2, 'file', 5, 1],
      ['z', 1, 'folder', 0, 0],
      ['update.sh', 1, 'file', 20, 1],
    ],
  );
  assert.deepEqual(
    rows.map(({ end, position, siblings }) => [end, position, siblings]),
    [
      [5, 1, 3],
      [3, 1, 3],
      [3, 1, 1],
      [4, 2, 3],
      [5, 3, 3],
      [6, 2, 3],
      [7, 3, 3],
    ],
  );
  assert.equal(rows[0]?.mode, undefined);
});

test('what a closed folder hides', () => {
  assert.deepEqual(seenRows(rows, new Set()), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(seenRows(rows, new Set(['a/deep'])), [0, 1, 3, 4, 5, 6]);
  assert.deepEqual(seenRows(rows, new Set(['a', 'a/deep'])), [0, 5, 6]);
});

test('a folder shows that something in it is refused', () => {
  const marked = treeOf([file('a/b/x'), { ...file('a/b/y'), refused: true }, file('c/z')]);
  assert.deepEqual(
    marked.filter(({ hidesRefused }) => hidesRefused).map(({ path }) => path),
    ['a', 'a/b'],
  );
});

test('names as hostile as they come stay one row each, and text', () => {
  const [row, above] = treeOf([file('evil\u202Egpj.exe\n'), file('../x')]);
  assert.equal(row?.path, '..');
  assert.equal(above?.path, '../x');
  assert.equal(treeOf([file('evil\u202Egpj\n')])[0]?.name, 'evil‹U+202E›gpj‹U+000A›');
  assert.equal(treeOf([file('__proto__/constructor')]).length, 2);
  assert.equal(treeOf([file('d/'.repeat(2000))]).length, 2000);
});

test('modes as ls prints them', () => {
  assert.equal(modeText(0o755), 'rwxr-xr-x');
  assert.equal(modeText(0o4644), 'rwSr--r--');
  assert.equal(modeText(0o3777), 'rwxrwsrwt');
});
