import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventReader } from './event-text.ts';

test('events are read whatever the pieces in which they arrive, and comments are none', () => {
  const text =
    ': hello\n\nevent: ready\nid: a.1\ndata: {}\n\nevent: change\r\nid: a.2\r\ndata: {"Devices":\r\ndata: ["é"]}\r\n\r\n';
  const expected = [
    { event: 'ready', id: 'a.1', data: '{}' },
    { event: 'change', id: 'a.2', data: '{"Devices":\n["é"]}' },
  ];
  for (const size of [1, 3, 7, text.length]) {
    const read = eventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...read(text.slice(at, at + size)));
    assert.deepEqual(found, expected);
  }
});

test('an event that is cut off is not one', () => {
  assert.deepEqual(eventReader()('event: change\nid: a.2\ndata: {"Dev'), []);
});
