// Reads degrees as people type and paste them: a number, a pair copied from a map, N, S, E or W.

const PART = String.raw`([+-−]?\d+(?:[.,]\d+)?|[+-−]?[.,]\d+)\s*°?\s*([NSEW])?`;
const SINGLE = new RegExp(`^${PART}$`, 'i');
const PAIR = new RegExp(String.raw`^\(?\s*${PART}(?:\s*[,;]\s*|\s+)${PART}\s*\)?$`, 'i');

function degrees(number: string, direction = ''): number {
  const value = Number(number.replace('−', '-').replace(',', '.'));
  return /[SW]/i.test(direction) ? -value : value;
}

/** One coordinate, with a decimal point or comma; NaN for anything else. */
export function readDegrees(text: string): number {
  const [, number, direction] = SINGLE.exec(text.trim()) ?? [];
  return number === undefined ? Number.NaN : degrees(number, direction);
}

/**
 * A pair "lat, lng" as maps copy it. Undefined for anything else, including "52,5", which may well be one number with a
 * decimal comma.
 */
export function readPair(text: string): { Lat: number; Lng: number } | undefined {
  const trimmed = text.trim();
  if (/^[+-−]?\d+,\d+$/.test(trimmed)) return undefined;
  const [, first = '', firstMark = '', second, secondMark = ''] = PAIR.exec(trimmed) ?? [];
  if (second === undefined) return undefined;
  const [one, two] = [degrees(first, firstMark), degrees(second, secondMark)];
  const swapped = /[EW]/i.test(firstMark) || /[NS]/i.test(secondMark);
  return swapped ? { Lat: two, Lng: one } : { Lat: one, Lng: two };
}

/** Rounded to a tenth of a metre; more digits mean nothing. */
export function rounded({ Lat, Lng }: { Lat: number; Lng: number }): { Lat: number; Lng: number } {
  const round = (degree: number) => Number(degree.toFixed(6));
  return { Lat: round(Lat), Lng: round(Lng) };
}
