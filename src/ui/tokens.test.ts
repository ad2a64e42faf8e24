// The contrast of both schemes (WCAG 2.2 AA): 4.5 for text, 3 for marks, bars and charts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const TEXT = ['ink', 'ink-2', 'online', 'offline', 'ok', 'failed', 'rolled-back', 'no-answer', 'waiting', 'warn'];
const MARKS = ['brand', 'running'];
/** What they are drawn on. */
const GROUNDS = ['page', 'panel', 'hover', 'selected'];
const PAIRS: [text: string, ground: string][] = [
  ['selected-ink', 'selected'],
  ['warn', 'warn-bg'],
  ['failed', 'error-bg'],
  ['ok', 'ok-bg'],
  ['ink', 'warn-bg'],
  ['ink', 'error-bg'],
  ['ink', 'ok-bg'],
];

/** The colours of each scheme, by name. */
function schemes(): Map<string, Map<string, string>> {
  const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');
  const blocks = css.matchAll(/color-scheme='(light|dark)'\] \{([^}]*)\}/g);
  return new Map(
    Array.from(blocks, ([, scheme = '', body = '']) => [
      scheme,
      new Map(Array.from(body.matchAll(/--([\w-]+): (#[\da-f]{6});/g), ([, name = '', color = '']) => [name, color])),
    ]),
  );
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test('contrast is that of the definition', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

for (const [scheme, colors] of schemes()) {
  const of = (name: string): string => {
    const color = colors.get(name);
    assert.ok(color, `tokens.css has no --${name} in the ${scheme} scheme`);
    return color;
  };
  const weak = (names: readonly string[], least: number) =>
    names.flatMap((name) =>
      GROUNDS.flatMap((ground) => {
        const ratio = contrast(of(name), of(ground));
        return ratio < least ? [`--${name} on --${ground}: ${ratio.toFixed(2)}`] : [];
      }),
    );

  test(`text of the ${scheme} scheme has a contrast of 4.5`, () => {
    assert.deepEqual(weak(TEXT, 4.5), []);
    assert.deepEqual(
      PAIRS.filter(([text, ground]) => contrast(of(text), of(ground)) < 4.5),
      [],
    );
  });

  test(`marks of the ${scheme} scheme have a contrast of 3`, () => assert.deepEqual(weak(MARKS, 3), []));
}

test('both schemes are checked', () => assert.deepEqual([...schemes().keys()], ['light', 'dark']));
