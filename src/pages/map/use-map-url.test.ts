import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printView, readMapView } from './use-map-url.ts';

test('a view survives the URL; what is none is left out', () => {
  const view = { lat: 52.5, lng: -13.4, zoom: 6 };
  assert.deepEqual(readMapView(printView(view)), view);
  for (const bad of [undefined, '', 'here', '1,2', '91,0,3', '1,2,40', ',,']) assert.equal(readMapView(bad), undefined);
});
