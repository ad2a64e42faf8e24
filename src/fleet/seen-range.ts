// The filter by when a device was seen last, as text: apart from filter.ts, so that a page can read its address before
// the code that filters the fleet.

/** The ends of such a range: "2026-11-02T14:03:00Z/2026-11-02T14:05:00Z", in milliseconds; undefined for what is none. */
export function seenRange(text: string | null | undefined): [from: number, to: number] | undefined {
  const [from = Number.NaN, to = Number.NaN, ...more] = (text ?? '').split('/').map((end) => Date.parse(end));
  return from <= to && more.length === 0 ? [from, to] : undefined;
}

const second = (at: number) => new Date(at).toISOString().replace('.000', '');
/** From the second that holds the one to the second that holds the other. */
export const printRange = (from: number, to: number): string =>
  `${second(Math.floor(from / 1000) * 1000)}/${second(Math.ceil(to / 1000) * 1000)}`;
