// Which modules of a build share a file: what many pages need, and never so that two files need each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedModulesOf, type PlannedChunk } from './shared-modules.ts';

const chunk = (name: string, imports: string[], module?: string): PlannedChunk => ({
  fileName: name,
  isEntry: name === 'entry',
  facadeModuleId: module ? `/home/x/src/${module}.tsx` : null,
  moduleIds: [`${name}.ts`],
  imports,
  dynamicImports: name === 'entry' ? ['shell', 'devices', 'overview', 'map', 'a', 'b', 'c', 'd'] : ['dialog'],
});

const chunks = [
  chunk('entry', ['react']),
  chunk('react', []),
  chunk('shell', ['react', 'button'], 'shell/shell'),
  chunk('devices', ['button', 'table'], 'pages/devices/devices-page'),
  chunk('overview', ['button', 'chart', 'rare'], 'pages/overview/overview-page'),
  chunk('map', ['popover', 'entry'], 'pages/map/map-page'),
  ...['a', 'b', 'c', 'd'].map((name) => chunk(name, ['button', 'chart', 'popover', 'modal'], `pages/${name}`)),
  chunk('button', ['base']),
  chunk('base', ['react']),
  chunk('table', []),
  chunk('chart', ['base']),
  chunk('rare', []),
  chunk('popover', ['float']),
  chunk('float', []),
  chunk('modal', []),
  chunk('dialog', ['form', 'popover', 'button']),
  chunk('form', []),
];

test('what the shell and the device table share with another page is in the first file', () => {
  const files = sharedModulesOf(chunks);
  assert.deepEqual([files.get('button.ts'), files.get('base.ts')], ['frame', 'frame']);
});

test('the parts of the overview that other pages need too are one file, and those of many pages', () => {
  const users = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
    chunk(name, ['modal', 'popover', 'chart'], `pages/${name}`),
  );
  const files = sharedModulesOf([
    ...chunks.filter(({ fileName }) => !/^([abcd]|entry)$/.test(fileName)),
    {
      ...chunk('entry', ['react']),
      dynamicImports: ['shell', 'devices', 'overview', 'map', 'a', 'b', 'c', 'd', 'e', 'f'],
    },
    ...users,
  ]);
  assert.equal(files.get('chart.ts'), 'start');
  assert.deepEqual([files.get('popover.ts'), files.get('float.ts')], ['light', 'light']);
  assert.equal(files.get('modal.ts'), 'common');
});

test('the shell is in the file of what every page needs, and a page has its own parts in its file', () => {
  const files = sharedModulesOf(
    [...chunks, chunk('own', []), chunk('opened', ['form'])].map((each) =>
      each.fileName === 'devices'
        ? { ...each, imports: [...each.imports, 'own'], dynamicImports: ['opened'] }
        : each.fileName === 'opened'
          ? { ...each, imports: ['own'] }
          : each,
    ),
  );
  assert.equal(files.get('shell.ts'), 'frame');
  assert.deepEqual([files.get('devices.ts'), files.get('own.ts')], ['devices-page', 'devices-page']);
});

test('nothing else is put anywhere: the entry, what only dialogs need, what a dialog of another page needs too', () => {
  const files = sharedModulesOf(chunks);
  for (const module of ['entry', 'react', 'form', 'dialog']) assert.equal(files.get(`${module}.ts`), undefined, module);
});
