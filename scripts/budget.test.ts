// The budget of the first load: counted over all that a page needs, and said in figures where it is exceeded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overBudget } from './budget.ts';
import type { Manifest } from './manifest-graph.ts';

const manifest: Manifest = {
  'index.html': { file: 'index.js', css: ['index.css'] },
  'src/pages/sign-in/sign-in-page.tsx': { name: 'sign-in-page', file: 'sign-in.js', imports: ['index.html'] },
  '_frame.css': { file: 'frame.css', name: 'frame' },
  '_frame.js': { name: 'frame', file: 'shell.js', css: ['shell.css'], imports: ['_first.js'] },
  '_devices-page.js': {
    name: 'devices-page',
    file: 'table.js',
    imports: ['_first.js'],
    dynamicImports: ['dialog.tsx'],
  },
  'dialog.tsx': { file: 'dialog.js' },
  '_first.js': { file: 'first.js' },
};
const sizes: Record<string, number> = { 'index.js': 70_000, 'first.js': 90_000, 'dialog.js': 500_000 };

test('what is loaded later does not count', () => {
  assert.deepEqual(
    overBudget(manifest, (file) => sizes[file] ?? 1_000),
    [],
  );
});

test('every page and kind over its budget is named', () => {
  const heavier: Record<string, number> = { ...sizes, 'first.js': 140_000, 'shell.css': 20_000 };
  assert.deepEqual(
    overBudget(manifest, (file) => heavier[file] ?? 1_000),
    ['scripts to the device table: 212000, at most 200000', 'styles to the device table: 21000, at most 20000'],
  );
});
