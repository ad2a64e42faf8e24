// What index.html makes a browser load early: everything a page needs, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLoadOf, type BuiltChunk } from './first-load.ts';

const chunk = (fileName: string, module: string, imports: string[], styles: string[] = []): BuiltChunk => ({
  fileName,
  moduleIds: module ? ['/home/x/src/ui/part.ts', `/home/x/src/${module}.tsx`] : [],
  isEntry: fileName === 'entry.js',
  imports,
  viteMetadata: { importedCss: new Set(styles) },
});

const chunks = [
  chunk('entry.js', '', ['react.js'], ['entry.css']),
  chunk('react.js', '', []),
  chunk('shell.js', 'shell/shell', ['entry.js', 'common.js'], ['shell.css']),
  chunk('common.js', '', ['react.js', 'shell.js'], ['common.css']),
  chunk('table.js', 'pages/devices/devices-page', ['common.js', 'menu.js'], ['common.css', 'table.css']),
  chunk('menu.js', '', ['react.js']),
  chunk('device.js', 'pages/devices/device-page', ['common.js']),
  chunk('start.js', 'pages/overview/overview-page', ['shell.js']),
  chunk('sign-in.js', 'pages/sign-in/sign-in-page', ['entry.js', 'words.js'], ['sign-in.css']),
  chunk('words.js', '', []),
];

test('what every page needs is listed once, and of each page only its own files', () => {
  assert.deepEqual(firstLoadOf(chunks), {
    '*': ['shell.css', 'shell.js', 'common.css', 'common.js'],
    '/devices': ['table.css', 'table.js', 'menu.js'],
    '/': ['start.js'],
    '/sign-in': ['sign-in.css', 'sign-in.js', 'words.js'],
  });
});

test('a path of Windows is read like any other', () => {
  const windows = chunks.map((each) => ({
    ...each,
    moduleIds: each.moduleIds.map((id) => id.replaceAll('/', '\\')),
  }));
  assert.deepEqual(firstLoadOf(windows), firstLoadOf(chunks));
});
