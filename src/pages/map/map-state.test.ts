import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_START, mapReducer } from './map-state.ts';
import type { MapAction } from './map-state.ts';

const after = (...actions: MapAction[]) => actions.reduce(mapReducer, AT_START);

test('an area that was selected puts the tool away and says how many devices came in', () => {
  const state = after({ is: 'tool', tool: 'rectangle' }, { is: 'area selected', devices: 1 });
  assert.deepEqual([state.tool, state.message], [undefined, '1 device added to the selection.']);
  assert.equal(after({ is: 'area selected', devices: 0 }).message, 'There was no device inside.');
});

test('another tool forgets what was said, putting one away does not', () => {
  const selected: MapAction = { is: 'area selected', devices: 2 };
  assert.equal(after(selected, { is: 'tool', tool: 'lasso' }).message, '');
  assert.equal(after(selected, { is: 'tool put away' }).message, '2 devices added to the selection.');
});

test('the list of a phone closes for the card, and for a place on the map', () => {
  const open: MapAction = { is: 'list', isOpen: true };
  assert.equal(after(open, { is: 'card opened', opener: undefined }).isListOpen, false);
  assert.equal(after(open, { is: 'placing' }).isListOpen, false);
});

test('the pointer over the same row, or over none, changes nothing', () => {
  const state = after({ is: 'pointed', row: 3 }, { is: 'hovered', row: 4 });
  assert.equal(mapReducer(state, { is: 'pointed', row: 3 }), state);
  assert.equal(mapReducer(AT_START, { is: 'hovered', row: undefined }), AT_START);
});
