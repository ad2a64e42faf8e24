// Patterns against the engine itself: what it accepts is read as written, and a translation changes nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { holds } from '../../scripts/test-property.ts';
import { partsOf } from './pattern-parts.ts';
import { patternOf } from './pattern.ts';

const PIECES = String.raw`a b ] [ ^ $ - . * + ? | ( ) (?: { } {2} {,2} : \] \[ \\ \Q \E \b \d \Z \h \x41 \x{42} \12 [:alpha:] [] [^] [^]] []a] (?i) (?<n> é 😀 \/ \-`;
const pattern = fc
  .array(fc.constantFrom(...PIECES.split(' ')), { minLength: 1, maxLength: 7 })
  .map((pieces) => pieces.join(''));
const line = fc
  .array(fc.constantFrom(...Array.from('ab]A[^-Z h\\2é😀')), { maxLength: 6 })
  .map((characters) => characters.join(''));

const engineOf = (find: string): RE2JS | undefined => {
  try {
    return RE2JS.compile(find);
  } catch {
    return undefined;
  }
};
const isFound = (Find: string, text: string): boolean | string => {
  const read = patternOf({ Find, CaseSensitive: true });
  return typeof read === 'string' ? read : read.test(text);
};

test('the parts of a pattern are the pattern', () =>
  holds(
    5_000,
    fc.property(fc.oneof(pattern, fc.string({ unit: 'binary' })), (find) => {
      assert.equal(Array.from(partsOf(find), ({ text }) => text).join(''), find);
    }),
  ));

test('a pattern that the engine accepts is read as it is written', () =>
  holds(
    5_000,
    fc.property(pattern, line, (find, text) => {
      const engine = engineOf(find);
      if (engine) assert.equal(isFound(find, text), engine.test(text));
    }),
  ));

test('a translated escape leaves the rest of the pattern as it is written', () =>
  holds(
    5_000,
    fc.property(pattern, line, (find, text) => {
      const engine = engineOf(`\\x{5a}${find}`);
      if (engine) assert.equal(isFound(`\\u005a${find}`, text), engine.test(text));
    }),
  ));
