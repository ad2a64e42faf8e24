import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanName, freeName, imported, planImport, printViews, readViews } from './saved-views.ts';

const view = (name: string, words = 'group=a', id = name.toLowerCase()) => ({ id, name, words });
const mine = [view('North'), view('South', 'group=s')];

test('what was written reads back as the same', () => {
  assert.deepEqual(readViews(`\uFEFF${printViews(mine)}`), { views: mine, unreadable: 0 });
});

test('a file that is none of ours is refused in plain words', () => {
  for (const text of ['', '{"kind":', 'name,group\r\na,b', printViews(mine).slice(0, -20)])
    assert.throws(() => readViews(text), /not a complete JSON/, text);
  for (const text of ['null', '[]', '{"views":[]}', '{"kind":"muster-device-views","version":1,"views":{}}'])
    assert.throws(() => readViews(text), /without device views/, text);
  assert.throws(() => readViews('{"kind":"muster-device-views","version":2,"views":[]}'), /newer version/);
});

test('entries that are no views are counted, the rest is taken over clean', () => {
  const views = [
    { id: 'x', name: '  two\n lines  ', view: 'group=a&next=//evil&cols=site' },
    { id: 'x', name: 'second of one id', view: '' },
    { id: '../..', name: 'odd id', view: '' },
    { name: '' },
    null,
    { name: 'no words' },
    { name: 7, view: '' },
  ];
  const read = readViews(JSON.stringify({ kind: 'muster-device-views', version: 1, views }));
  assert.equal(read.unreadable, 4);
  assert.deepEqual(
    read.views.map(({ name, words }) => [name, words]),
    [
      ['two lines', 'group=a&cols=name,site'],
      ['second of one id', ''],
      ['odd id', ''],
    ],
  );
  assert.equal(new Set(read.views.map(({ id }) => id)).size, 3);
  assert.match(read.views[2]?.id ?? '', /^\w+$/);
});

test('an import shows what is new, known and under a name in use, and asks', () => {
  const plan = planImport(mine, [
    view('north', 'group=other'),
    view('South', 'group=s'),
    view('East'),
    view('EAST', 'q=e'),
  ]);
  assert.deepEqual([plan.fresh.length, plan.known, plan.clashes.length], [1, 1, 2]);
  const names = (answer: 'both' | 'replace' | 'mine') =>
    imported(mine, plan, answer).map(({ name, words }) => `${name}: ${words}`);
  assert.deepEqual(names('both'), [
    'North: group=a',
    'South: group=s',
    'East: group=a',
    'north 2: group=other',
    'EAST 2: q=e',
  ]);
  assert.deepEqual(names('replace'), ['North: group=other', 'South: group=s', 'East: q=e']);
  assert.deepEqual(names('mine'), ['North: group=a', 'South: group=s', 'East: group=a']);
});

test('names are one line of a length that can be drawn', () => {
  assert.equal(cleanName(`\t a ${'b'.repeat(200)}`).length, 80);
  assert.equal(freeName([view('x'.repeat(80))], 'x'.repeat(80)).length <= 80, true);
});
