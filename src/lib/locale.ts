// The reader's locale decides the order of dates, the separators and the 12- or 24-hour clock. All words are English, as
// the rest of the interface is: days, months, zones, AM and PM, units. Digits are Latin and the calendar is Gregorian, as
// in logs and file names. All other code formats through this file.

/** Parts whose text would be a word of the locale's language. */
const WORDS: ReadonlySet<Intl.DateTimeFormatPartTypes> = new Set([
  'dayPeriod',
  'era',
  'month',
  'timeZoneName',
  'weekday',
]);

type Part = Intl.DateTimeFormatPart;

/** What is between two parts, without its words: Japanese writes "11月24日", Portuguese "24 de nov.". */
function separator(text: string, before: Part | undefined, after: Part | undefined): string {
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .replace(/\(?[\p{L}\p{M}]+\)?\.?/gu, '')
    .replace('،', ',')
    .replace(/\s+/g, ' ');
  if (!after) return /[)\]]/.exec(plain)?.[0] ?? '';
  const isInTime = (before?.type === 'hour' || before?.type === 'minute') && /^(?:minute|second)$/.test(after.type);
  if (isInTime) return plain.trim() === '' ? ':' : plain;
  return plain === '' && before ? ' ' : plain;
}

/** Writes a date in the locale's order, with English words. */
export function dateWriter(locale: string, options: Intl.DateTimeFormatOptions): (at: Date) => string {
  const common = { ...options, calendar: 'gregory', numberingSystem: 'latn' };
  const local = new Intl.DateTimeFormat(locale, common);
  // British English names zones differently.
  const english = new Intl.DateTimeFormat(locale.startsWith('en') ? locale : 'en', { ...common, hour12: true });
  return (at) => {
    const words = new Map(english.formatToParts(at).map(({ type, value }) => [type, value]));
    const parts = local.formatToParts(at);
    return parts
      .map((part, index) => {
        const [before, after] = [parts[index - 1], parts[index + 1]];
        if (part.type === 'literal') return separator(part.value, before, after);
        // Korean pads no minutes where it writes a word after them.
        if (part.type === 'minute' || part.type === 'second') return part.value.padStart(2, '0');
        if (!WORDS.has(part.type)) return part.value;
        // "下午9:05" has no space around its word.
        const space = (next: Part | undefined) => (next && next.type !== 'literal' ? ' ' : '');
        return `${space(before)}${words.get(part.type) ?? ''}${space(after)}`;
      })
      .join('')
      .replace(/ {2,}/g, ' ');
  };
}

/** Writes a number with the locale's separators. */
export function numberWriter(locale: string, options: Intl.NumberFormatOptions = {}): (value: number) => string {
  const format = new Intl.NumberFormat(locale, { ...options, numberingSystem: 'latn' });
  // Direction marks would be copied along, and Latin digits need none.
  return (value) => format.format(value).replace(/\p{Cf}/gu, '');
}

/** The language and region of the browser. */
export const LOCALE = new Intl.DateTimeFormat().resolvedOptions().locale;

/** Compares names as the reader's language sorts them; "press-9" comes before "press-10". */
export const compareNames = new Intl.Collator(LOCALE, { numeric: true, sensitivity: 'base' }).compare;
