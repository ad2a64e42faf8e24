// Walks the manifest: everything needed, nothing twice, nothing that loads later.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchedLater, filesOf, neededBy, type Manifest } from './manifest-graph.ts';

const manifest: Manifest = {
  'index.html': { file: 'index.js', css: ['index.css'], dynamicImports: ['shell.tsx', 'page.tsx', 'other.tsx'] },
  'shell.tsx': { file: 'shell.js', css: ['shell.css'], imports: ['index.html', '_shared.js'] },
  'page.tsx': { file: 'page.js', css: ['shell.css'], imports: ['_shared.js'], dynamicImports: ['dialog.tsx'] },
  'dialog.tsx': { file: 'dialog.js', imports: ['_shared.js', '_form.js'] },
  'other.tsx': { file: 'other.js' },
  '_form.js': { file: 'form.js' },
  '_shared.js': { file: 'shared.js', imports: ['_shared2.js'] },
  '_shared2.js': { file: 'shared2.js', imports: ['_shared.js'] },
};

test('a page needs what it imports, through circles, each once', () => {
  const needed = neededBy(manifest, ['index.html', 'shell.tsx', 'page.tsx']);
  const files = filesOf(manifest, needed);
  assert.deepEqual(files.scripts.toSorted(), ['index.js', 'page.js', 'shared.js', 'shared2.js', 'shell.js']);
  assert.deepEqual(files.styles.toSorted(), ['index.css', 'shell.css']);
});

test('what a page may fetch later is listed apart, without the pages that the entry knows', () => {
  const needed = neededBy(manifest, ['index.html', 'page.tsx']);
  assert.deepEqual([...fetchedLater(manifest, needed, ['index.html'])].toSorted(), ['_form.js', 'dialog.tsx']);
});

test('a page that is not in the build is an error, not a weight of nothing', () => {
  assert.throws(() => neededBy(manifest, ['gone.tsx']), /no chunk for gone\.tsx/);
});
