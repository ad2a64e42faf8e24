// The budget of the dashboard: counted over all that a page needs, and reported in figures where it is exceeded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_SCRIPTS, filesOf, firstLoads, overBudget, type Manifest } from './budget.ts';

const manifest: Manifest = {
  'index.html': { file: 'index.js', css: ['index.css'] },
  'src/pages/sign-in/sign-in-page.tsx': { name: 'sign-in-page', file: 'sign-in.js', imports: ['index.html'] },
  '_frame.css': { file: 'frame.css', name: 'frame' },
  '_frame.js': { name: 'frame', file: 'shell.js', css: ['shell.css'], imports: ['_first.js'] },
  '_devices-page.js': { name: 'devices-page', file: 'table.js', css: ['shell.css'], imports: ['_first.js'] },
  'dialog.tsx': { file: 'dialog.js' },
  '_first.js': { file: 'first.js', imports: ['_frame.js'] },
};
const sizes: Record<string, number> = { 'index.js': 70_000, 'first.js': 90_000, 'dialog.js': 500_000 };
const loadsOf = (of: Record<string, number>) => firstLoads(manifest, (file) => of[file] ?? 1_000);

test('a page needs what it imports, through circles, each once', () => {
  const { scripts, styles } = filesOf(manifest, ['index.html', 'frame', 'devices-page']);
  assert.deepEqual(scripts.toSorted(), ['first.js', 'index.js', 'shell.js', 'table.js']);
  assert.deepEqual(styles.toSorted(), ['index.css', 'shell.css']);
});

test('a page that is not in the build is an error, not a weight of nothing', () => {
  assert.throws(() => filesOf(manifest, ['gone-page']), /no chunk for gone-page/);
});

test('what is loaded later counts for no page', () => {
  assert.deepEqual(overBudget(loadsOf(sizes), 600_000), []);
});

test('every page and kind over its budget is named', () => {
  assert.deepEqual(overBudget(loadsOf({ ...sizes, 'first.js': 140_000, 'shell.css': 20_000 }), MOST_SCRIPTS + 1), [
    'scripts to the device table: 212000, at most 206300',
    'styles to the device table: 21000, at most 20000',
    `all scripts: ${MOST_SCRIPTS + 1}, at most ${MOST_SCRIPTS}`,
  ]);
});
