// Property tests state what holds for all inputs, and fast-check looks for one that proves them wrong. Its values differ
// in each run, so that runs add up; a failure prints its seed and the smallest input that it found. While somebody waits
// for them, they try a quarter of the inputs that .ci/run tries.
import * as fc from 'fast-check';

const TIMES = Number(process.env['PROPERTY_RUNS']) || 0.25;
const SEED = process.env['PROPERTY_SEED'];

/** Checks a property with this many inputs, times PROPERTY_RUNS. */
export async function holds<Input>(
  runs: number,
  property: fc.IProperty<Input> | fc.IAsyncProperty<Input>,
): Promise<void> {
  await fc.assert<Input>(property as fc.IAsyncProperty<Input>, {
    numRuns: Math.ceil(runs * TIMES),
    ...(SEED !== undefined && { seed: Number(SEED) }),
  });
}

const SIGNS = '/\\.%"\'`$(){}&|;<>*?!#~=+-@ \t\r\n\u0000\u001b\u007f,:'.split('');
const hostileUnit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SIGNS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\ud800',
      '\udc00',
      '\u202e',
      '\ufeff',
      '\u2028',
      '\u0301',
      '😀',
      '＝',
      'ﬀ',
      'İ',
      '..',
      '$(',
    ),
  },
);

/** Text as nobody expects it: controls, quotes, marks of direction, halves of surrogate pairs. */
export const anyText = (maxLength = 40) => fc.string({ unit: hostileUnit, maxLength });

/** The same without halves of surrogate pairs, which UTF-8 cannot express. */
export const wellFormedText = (maxLength = 40) => anyText(maxLength).map((text) => text.toWellFormed());

/** A text or bytes in parts: all ways to cut it are possible. */
export function cut<Whole extends { length: number; slice(from: number, to: number): Whole }>(
  whole: Whole,
  at: readonly number[],
): Whole[] {
  const cuts = [...new Set(at.map((each) => each % (whole.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length));
}

/** Where to cut; see {@link cut}. */
export const cuts = (maxLength = 12) => fc.array(fc.nat(1_000_000), { maxLength });
