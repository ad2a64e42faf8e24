import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanWords, isSameView, viewUrl } from './view-words.ts';

const readLayout = (search: string) => viewUrl.read(search).layout;

test('a view is short words that can be read', () => {
  const words = viewUrl.change('', {
    ...viewUrl.read('group=a&page=3&sort=-lastSeen&dialog=add&view=x&q=pump'),
    layout: { columns: ['name', 'group', 'status'], widths: { group: 136, site: 90 }, density: 'comfortable' },
  });
  assert.equal(words, 'q=pump&group=a&sort=-lastSeen&cols=name,group,status&widths=group:136&density=comfortable');
  assert.equal(cleanWords(words), words);
});

test('what a link says of columns is read, whatever else it says', () => {
  assert.deepEqual(readLayout('cols=name,site&widths=site:5,name:x,nonsense&density=comfortable'), {
    columns: ['name', 'site'],
    widths: { site: 60 },
    density: 'comfortable',
  });
  // The name opens the device, so it is always there; widths go with columns.
  assert.deepEqual(readLayout('cols=site,site,'), { columns: ['name', 'site'], widths: {} });
  assert.deepEqual(readLayout('widths=site:90&density=huge&cols='), {});
});

test('a field of a service may be called anything', () => {
  const columns = ['name', 'Fan, left: 1&2 %', '50%'];
  const words = viewUrl.change('', { layout: { columns, widths: { '50%': 200 } } });
  assert.deepEqual(readLayout(words), { columns, widths: { '50%': 200 } });
  assert.equal(cleanWords(words), words);
});

test('hostile words are left out', () => {
  assert.equal(cleanWords('sort=a%00b&cols=%25E0%25A4%25A,name&next=//evil&<script>=1'), 'cols=name');
});

test('views are the same where they show the same on this service', () => {
  const available = new Set(['name', 'status', 'group']);
  assert.equal(isSameView('group=a&cols=name,status', 'cols=name,status,tags&group=a', available), true);
  assert.equal(isSameView('group=a&cols=name,status', 'group=a&cols=status,name', available), false);
  assert.equal(isSameView('group=a', 'group=b', available), false);
});
