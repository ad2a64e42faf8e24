// The filter by last contact as text; separate from filter.ts, so that a page can parse its address before the code
// that filters the fleet is loaded.

/** The ends of such a range: "2026-11-02T14:03:00Z/2026-11-02T14:05:00Z", in milliseconds; undefined if invalid. */
export function seenRange(text: string | null | undefined): [from: number, to: number] | undefined {
  const [from = Number.NaN, to = Number.NaN, ...more] = (text ?? '').split('/').map((end) => Date.parse(end));
  return from <= to && more.length === 0 ? [from, to] : undefined;
}

const second = (at: number) => new Date(at).toISOString().replace('.000', '');
/** Rounded to whole seconds that include both ends. */
export const printRange = (from: number, to: number): string =>
  `${second(Math.floor(from / 1000) * 1000)}/${second(Math.ceil(to / 1000) * 1000)}`;
