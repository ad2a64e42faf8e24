import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterWords, printView, readFilter, readView, withoutFilter } from './map-view.ts';

test('a view survives the URL; what is none is left out', () => {
  const view = { lat: 52.5, lng: -13.4, zoom: 6 };
  assert.deepEqual(readView(printView(view)), view);
  for (const bad of [null, '', 'here', '1,2', '91,0,3', '1,2,40', ',,']) assert.equal(readView(bad), undefined);
});

test('the filter is read in the words of the table, and nothing else is', () => {
  const params = new URLSearchParams('at=1,2,3&name= cam &group=a&group=b&status=online&tag=&device=x&color=group');
  assert.deepEqual(readFilter(params), { name: 'cam', group: ['a', 'b'], status: ['online'] });
  assert.equal(filterWords(params), 'name=+cam+&group=a&group=b&status=online');
  assert.equal(withoutFilter(params).toString(), 'at=1%2C2%2C3&device=x&color=group');
});
