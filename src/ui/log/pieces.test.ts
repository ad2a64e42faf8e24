import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piecesOf } from './pieces.ts';

const brief = (pieces: ReturnType<typeof piecesOf>) =>
  pieces.map(({ text, hit, glyph }) => `${glyph ? '*' : ''}${text}:${hit}`);

test('a match across two colours is marked in both', () => {
  const parts = [
    { text: 'no spa', style: {} },
    { text: 'ce left', style: { fg: 'red' as const } },
  ];
  const pieces = piecesOf(parts, [{ from: 3, to: 8, current: true }]);
  assert.deepEqual(brief(pieces), ['no :none', 'spa:current', 'ce:current', ' left:none']);
  assert.deepEqual(
    pieces.map(({ style }) => style.fg),
    [undefined, undefined, 'red', 'red'],
  );
});

test('the current match is distinct from the others', () => {
  const hits = [
    { from: 0, to: 1, current: false },
    { from: 2, to: 3, current: true },
  ];
  assert.deepEqual(brief(piecesOf([{ text: 'aba', style: {} }], hits)), ['a:other', 'b:none', 'a:current']);
});

test('hidden characters become glyphs without moving the matches', () => {
  const pieces = piecesOf([{ text: '\u202eab', style: {} }], [{ from: 1, to: 3, current: false }]);
  assert.deepEqual(brief(pieces), ['*‹U+202E›:none', 'ab:other']);
});

test('a match that exceeds the row ends with it; an empty row has no pieces', () => {
  assert.deepEqual(brief(piecesOf([{ text: 'abc', style: {} }], [{ from: 2, to: 9, current: false }])), [
    'ab:none',
    'c:other',
  ]);
  assert.deepEqual(piecesOf([]), []);
});
