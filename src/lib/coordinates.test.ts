import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDegrees, readPair } from './coordinates.ts';

test('a coordinate is a number, with a decimal point or comma', () => {
  for (const [text, value] of [
    ['52.52', 52.52],
    [' -0.1276 ', -0.1276],
    ['52,52', 52.52],
    ['+7', 7],
    ['.5', 0.5],
    ['−33.9', -33.9],
    ['33.9° S', -33.9],
    ['0', 0],
  ] as const)
    assert.equal(readDegrees(text), value, text);
});

test('anything else is not a number', () => {
  for (const text of ['', 'north', '52.5.2', '5e1', '0x10', '1 2', '--5', 'Infinity', '12.'])
    assert.ok(Number.isNaN(readDegrees(text)), text);
});

test('a pasted pair is latitude, then longitude', () => {
  for (const text of [
    '52.52, 13.405',
    '52.52,13.405',
    '52.52 13.405',
    '52.52; 13.405',
    '(52.52, 13.405)',
    '52,52; 13,405',
    ' 52.52\t13.405\n',
  ])
    assert.deepEqual(readPair(text), { Lat: 52.52, Lng: 13.405 }, text);
  assert.deepEqual(readPair('52, 13'), { Lat: 52, Lng: 13 });
  assert.deepEqual(readPair('-33.86, 151.2'), { Lat: -33.86, Lng: 151.2 });
});

test('N, S, E and W set the sign and the order', () => {
  assert.deepEqual(readPair('40.7128° N, 74.0060° W'), { Lat: 40.7128, Lng: -74.006 });
  assert.deepEqual(readPair('151.2E 33.86S'), { Lat: -33.86, Lng: 151.2 });
});

test('anything else is not a pair', () => {
  for (const text of ['', '52.52', '52,52', 'a, b', '1, 2, 3', '52.52, ', 'https://example.com/@52.5,13.4'])
    assert.equal(readPair(text), undefined, text);
});
