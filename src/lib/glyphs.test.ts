import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitGlyphs, visible } from './glyphs.ts';

test('control characters and marks of direction are shown, not obeyed', () => {
  assert.equal(visible('a\u0000b\u0007c\u001bd\u007f'), 'a‹NUL›b‹BEL›c‹ESC›d‹DEL›');
  assert.equal(
    visible('user\u202etxt.exe\u2066\u200b\ufeff\u0085'),
    'user‹U+202E›txt.exe‹U+2066›‹U+200B›‹U+FEFF›‹U+0085›',
  );
  assert.equal(visible('\ud800 alone, \u{e0041}'), '‹U+D800› alone, ‹U+E0041›');
});

test('tabs, line ends, emoji with joiners and other scripts stay as they are', () => {
  for (const text of ['a\tb\nc', '👩‍💻 ok', 'سلام', 'नमस्ते', '日本語']) assert.equal(visible(text), text);
});

test('the pieces tell glyphs from text and join to the visible text', () => {
  assert.deepEqual(splitGlyphs('a\rb\u0001\u0002'), [
    { text: 'a', glyph: false },
    { text: '‹CR›', glyph: true },
    { text: 'b', glyph: false },
    { text: '‹SOH›', glyph: true },
    { text: '‹STX›', glyph: true },
  ]);
  assert.deepEqual(splitGlyphs('plain'), [{ text: 'plain', glyph: false }]);
});
