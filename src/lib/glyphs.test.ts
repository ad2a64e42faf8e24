import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenText, splitGlyphs, visible } from './glyphs.ts';

test('control characters and direction marks are shown, not obeyed', () => {
  assert.equal(visible('a\u0000b\u0007c\u001bd\u007f'), 'a‹NUL›b‹BEL›c‹ESC›d‹DEL›');
  assert.equal(
    visible('user\u202etxt.exe\u2066\u200b\ufeff\u0085'),
    'user‹U+202E›txt.exe‹U+2066›‹U+200B›‹U+FEFF›‹U+0085›',
  );
  assert.equal(visible('\ud800 alone, \u{e0041}'), '‹U+D800› alone, ‹U+E0041›');
});

test('characters without a shape are shown', () => {
  assert.equal(
    visible('pu\u00admp\u034f\u3164\uffa0\u115f\u2800'),
    'pu‹U+00AD›mp‹U+034F›‹U+3164›‹U+FFA0›‹U+115F›‹U+2800›',
  );
  assert.equal(visible('a\u200bb\u2060c\u180ed\ufff0'), 'a‹U+200B›b‹U+2060›c‹U+180E›d‹U+FFF0›');
});

test('joiners and variation selectors stay only where a script or an emoji needs them', () => {
  assert.equal(visible('pump\u200d1 pump\u200c1\ufe0f'), 'pump‹U+200D›1 pump‹U+200C›1‹U+FE0F›');
  assert.equal(visible('😀\ufe0f\ufe01\u{e0101} 😀\u200d\u200d'), '😀\ufe0f‹U+FE01›‹U+E0101› 😀\u200d‹U+200D›');
  for (const text of ['1️⃣ ☎️ ❤️‍🔥 👩🏽‍🚀', 'می‌خواهم', 'क्‍ष', '葛\u{e0100}']) assert.equal(visible(text), text);
});

test('tabs, line ends, emoji with joiners and other scripts stay as they are', () => {
  for (const text of ['a\tb\nc', '👩‍💻 ok', 'سلام', 'नमस्ते', '日本語']) assert.equal(visible(text), text);
});

test('the pieces separate glyphs from text and add up to the visible text', () => {
  assert.deepEqual(splitGlyphs('a\rb\u0001\u0002'), [
    { text: 'a', glyph: false },
    { text: '‹CR›', glyph: true },
    { text: 'b', glyph: false },
    { text: '‹SOH›', glyph: true },
    { text: '‹STX›', glyph: true },
  ]);
  assert.deepEqual(splitGlyphs('plain'), [{ text: 'plain', glyph: false }]);
});

test('only a text with hidden characters gets a note about them', () => {
  assert.equal(hiddenText('pump\u200b 1'), 'Hidden characters: pump‹U+200B› 1');
  for (const text of ['', 'pump 1', 'press – Süd', '👩‍🔧', 'क्‍ष']) assert.equal(hiddenText(text), undefined);
});
