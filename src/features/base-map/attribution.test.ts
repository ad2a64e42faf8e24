import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributionParts } from './attribution.ts';

test('text is text, and only addresses of pages are links', () => {
  assert.deepEqual(attributionParts('© [Maps & Co](https://maps.example/) contributors'), [
    { text: '© ' },
    { text: 'Maps & Co', href: 'https://maps.example/' },
    { text: ' contributors' },
  ]);
  assert.deepEqual(attributionParts('[x](javascript:alert) <b>y</b>'), [
    { text: '[x](javascript:alert)' },
    { text: ' <b>y</b>' },
  ]);
  assert.deepEqual(attributionParts(''), []);
});
