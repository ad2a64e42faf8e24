// How names are compared: folded for search, and as keys that sort numbers naturally ("camera-2", "camera-10").

const isPlain = (text: string) => /^[\0-\x7f]*$/.test(text);
/** Accents, as separate characters after decomposition. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Text without differences of case, accent and width: "ÉCLAIR" and "éclair" are "eclair". */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  // Upper case first: it makes "ß" the same as "SS". The two small sigmas are one letter.
  return text.toUpperCase().toLowerCase().normalize('NFKD').replace(ACCENTS, '').replaceAll('ς', 'σ');
}

const line = (text: string) => fold(text).replaceAll('\n', ' ');

/** The searched text of a row, folded, on three lines: name, id, and the rest (group, customer, site and tags). */
export const haystackOf = (name: string, id: string, others: readonly string[] = []): string =>
  [line(name), line(id), line(others.join('\t'))].join('\n');

/** The words of a search, folded; a row must contain all of them. */
export const wordsOf = (search: string): string[] => fold(search).split(/\s+/).filter(Boolean);

/**
 * A key whose order by character is the natural order: a run of digits counts as a number. Its length comes first,
 * because of two numbers the one with more digits is larger.
 */
export function naturalKey(text: string): string {
  const folded = fold(text);
  return /\d/.test(folded) ? folded.replace(/\d+/g, withLength) : folded;
}

function withLength(run: string): string {
  const digits = run.replace(/^0+(?=\d)/, '');
  const length = digits.length;
  // '1' to '8', then '9' and one more character: still after every shorter number, and still a digit to what follows.
  return (length < 9 ? String(length) : `9${String.fromCharCode(48 + Math.min(length - 9, 70))}`) + digits;
}
