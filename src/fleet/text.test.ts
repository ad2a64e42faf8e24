import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, haystackOf, naturalKey, wordsOf } from './text.ts';

test('case, accents and width make no difference', () => {
  for (const [one, two] of [
    ['CAMERA', 'camera'],
    ['Éclair', 'eclair'],
    ['e\u0301clair', 'éclair'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['İzmir', 'izmir'],
    ['ＡＢＣ', 'abc'],
    ['KÖLN 7', 'koln 7'],
  ] as const)
    assert.equal(fold(one), fold(two), `${one} and ${two}`);
  assert.notEqual(fold('が'), fold('か'));
});

test('numbers in names sort as numbers', () => {
  const names = ['camera-10', 'Camera-2', 'camera-1', 'camera-02b', 'camera', 'b12', 'b2', 'camera-100', 'émile', 'f'];
  const sorted = names.toSorted((one, two) => (naturalKey(one) < naturalKey(two) ? -1 : 1));
  assert.deepEqual(sorted, [
    'b2',
    'b12',
    'camera',
    'camera-1',
    'Camera-2',
    'camera-02b',
    'camera-10',
    'camera-100',
    'émile',
    'f',
  ]);
  const lengths = Array.from({ length: 30 }, (_, zeros) => `1${'0'.repeat(zeros)}`);
  const keys = lengths.map(naturalKey);
  assert.deepEqual(keys.toSorted(), keys);
  assert.equal(naturalKey('007'), naturalKey('7'));
});

test('the text of a row has its name, its id and the rest on lines of their own, and is searched by words', () => {
  assert.equal(haystackOf('Pump\n7', 'ID-1', ['Süd', 'A\nB']), 'pump 7\nid-1\nsud\ta b');
  assert.deepEqual(wordsOf('  Pump  NORTH '), ['pump', 'north']);
  assert.deepEqual(wordsOf('   '), []);
});
