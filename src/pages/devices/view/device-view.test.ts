import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SavedView } from '#/contract/views.ts';
import { USUAL } from '#/pages/devices/table/column-choice.ts';
import { choiceOf, differing, isSameLayout, searchOf, tableLayoutOf, viewStateOf } from './device-view.ts';
import { fleetUrl } from './fleet-view.ts';

const available = [
  { id: 'name', width: 240 },
  { id: 'status', width: 100 },
  { id: 'group', width: 100 },
  { id: 'arch', width: 130, isExtra: true },
];
const layoutAt = (search: string) => fleetUrl.read(search).layout;
const drawn = (search: string) => tableLayoutOf(choiceOf(USUAL, layoutAt(search), available), available);

test('a URL that says nothing of columns shows the reader’s own', () => {
  const own = { ...USUAL, hidden: ['group'] };
  assert.equal(choiceOf(own, layoutAt('group=north'), available), own);
});

test('a link shows exactly its columns, extra ones too, and only those that the service reports', () => {
  assert.deepEqual(drawn('cols=name,arch,lost&widths=arch:90'), {
    columns: ['name', 'arch'],
    widths: { arch: 90 },
    density: 'compact',
  });
  assert.deepEqual(drawn('density=comfortable'), { ...tableLayoutOf(USUAL, available), density: 'comfortable' });
});

test('a URL has only what differs from the reader’s own columns', () => {
  assert.deepEqual(differing(tableLayoutOf(USUAL, available), USUAL, available), {});
  assert.deepEqual(differing({ columns: ['name', 'status', 'group'] }, USUAL, available), {});
  assert.deepEqual(differing({ columns: ['name', 'status', 'group', 'lost'] }, USUAL, available), {});
  assert.deepEqual(differing({ columns: ['name'], density: 'comfortable' }, USUAL, available), {
    columns: ['name'],
    widths: {},
    density: 'comfortable',
  });
  assert.equal(isSameLayout(layoutAt('cols=name,group'), { columns: ['name', 'group'], widths: {} }), true);
});

test('a saved view is shown by its words and its name', () => {
  const view = { Name: 'North', Query: 'group=north&cols=name,status,group&density=comfortable' };
  assert.equal(searchOf(view, USUAL, available), 'group=north&density=comfortable&view=North');
});

test('the saved view is known by its name in the URL, or by showing the same', () => {
  const saved: SavedView[] = [
    {
      Name: 'North',
      Query: 'group=north&cols=name,status,group&density=compact',
      Private: false,
      ChangedBy: 'link',
      ChangedByName: '',
      ChangedTime: '',
    },
  ];
  const at = (search: string) => {
    const { applied, isChanged, isForeign } = viewStateOf(fleetUrl.read(search), drawn(search), saved, available);
    return { applied: applied?.Name, isChanged, isForeign };
  };
  assert.deepEqual(at('group=north'), { applied: 'North', isChanged: false, isForeign: false });
  assert.deepEqual(at('view=North&group=south'), { applied: 'North', isChanged: true, isForeign: false });
  assert.deepEqual(at('group=south'), { applied: undefined, isChanged: false, isForeign: false });
  const unread = viewStateOf(fleetUrl.read('cols=name'), drawn('cols=name'), undefined, available);
  assert.equal(unread.isForeign, false);
  assert.deepEqual(at('cols=name'), { applied: undefined, isChanged: false, isForeign: true });
});
