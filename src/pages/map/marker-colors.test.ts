import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLORS } from './marker-colors.ts';

type Triple = [number, number, number];

const linear = (hex: string): Triple => {
  const of = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [of(1), of(3), of(5)];
};

/** Machado, Oliveira and Fernandes (2009), severity 1. */
const SIGHTS: Record<string, Triple[]> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const seen = (hex: string, sight: Triple[]): Triple => {
  const color = linear(hex);
  return lab(
    sight.map((row) => {
      const sum = row.reduce((all, part, at) => all + part * color[at]!, 0);
      return Math.min(1, Math.max(0, sum));
    }) as Triple,
  );
};

const luminance = (hex: string): number => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one: string, other: string): number => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

for (const scheme of ['light', 'dark'] as const) {
  const { versions, rest, halo } = COLORS[scheme];
  const fills = [...versions.map(({ fill }) => fill), rest];

  for (const [sight, matrix] of Object.entries(SIGHTS))
    test(`the colours of versions are told apart in the ${scheme} theme with ${sight}`, () => {
      for (const [at, one] of fills.entries())
        for (const other of fills.slice(at + 1)) {
          const [a, b] = [seen(one, matrix), seen(other, matrix)];
          const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          assert.ok(distance >= 25, `${one} and ${other} differ by ${distance.toFixed(1)}`);
        }
    });

  test(`colours of versions stand out in the ${scheme} theme, and letters on them can be read`, () => {
    for (const { fill, letter } of versions) {
      assert.ok(contrast(fill, halo) >= 3, fill);
      assert.ok(contrast(fill, letter) >= 4.5, `${letter} on ${fill}`);
    }
  });
}
