// Offsets of a time zone from a TZif file (RFC 9636), as the tzdata package of a system has them.

/** Milliseconds that local time is ahead of UTC. */
export type OffsetAt = (at: number) => number;

const HEADER = 44;
const DAY = 86_400_000;

const NAME = '(?:<[^>]+>|[A-Za-z]{3,})';
const TIME = String.raw`[+-]?\d{1,3}(?::\d\d){0,2}`;
const DATE = String.raw`J?\d{1,3}|M\d{1,2}\.\d\.\d`;
/** POSIX.1-2024, 8.3, with the extensions of RFC 9636, 3.3.2: `EST5EDT,M3.2.0,M11.1.0`. */
const FOOTER = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE})(?:/(${TIME}))?,(${DATE})(?:/(${TIME}))?)?$`);

function timeOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) * 1000;
}

/** The day of a rule in a year, as its midnight read as UTC. */
function dayOf(rule: string, year: number): number {
  const begin = Date.UTC(year, 0, 1);
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  // February 29 is not counted after J, and is without it.
  if (rule.startsWith('J')) {
    const day = Number(rule.slice(1));
    return begin + (day - 1 + (isLeap && day > 59 ? 1 : 0)) * DAY;
  }
  if (!rule.startsWith('M')) return begin + Number(rule) * DAY;
  const [month = 1, week = 1, weekday = 0] = rule.slice(1).split('.').map(Number);
  const first = Date.UTC(year, month - 1, 1);
  const last = Date.UTC(year, month, 0);
  let day = first + ((weekday - new Date(first).getUTCDay() + 7) % 7) * DAY + (week - 1) * 7 * DAY;
  // Week 5 is the last one.
  while (day > last) day -= 7 * DAY;
  return day;
}

function offsetsByFooter(footer: string): OffsetAt | undefined {
  const [, standard, summer, from, fromTime = '2', to, toTime = '2'] = FOOTER.exec(footer) ?? [];
  if (standard === undefined) return undefined;
  const plain = 0 - timeOf(standard);
  if (from === undefined || to === undefined) return () => plain;
  const saving = summer === undefined ? plain + 3_600_000 : 0 - timeOf(summer);
  return (at) => {
    const year = new Date(at + plain).getUTCFullYear();
    const begins = dayOf(from, year) + timeOf(fromTime) - plain;
    const ends = dayOf(to, year) + timeOf(toTime) - saving;
    const isSaving = begins < ends ? at >= begins && at < ends : at >= begins || at < ends;
    return isSaving ? saving : plain;
  };
}

/** Throws if the file is none. */
export function readTzif(file: Buffer): OffsetAt {
  const header = (at: number) => {
    if (file.toString('latin1', at, at + 4) !== 'TZif') throw new TypeError('This is no TZif file');
    const [utc = 0, standard = 0, leaps = 0, times = 0, types = 0, names = 0] = [20, 24, 28, 32, 36, 40].map((field) =>
      file.readUInt32BE(at + field),
    );
    return {
      times,
      types,
      end: (size: number) => times * (size + 1) + types * 6 + names + leaps * (size + 4) + standard + utc,
    };
  };
  const hasLongTimes = file.readUInt8(4) >= 0x32;
  // The first block has times of 32 bits; it is followed by one of 64 bits.
  const start = hasLongTimes ? HEADER + header(0).end(4) : 0;
  const size = hasLongTimes ? 8 : 4;
  const { times, types, end } = header(start);
  const data = start + HEADER;
  const timeAt = (index: number) =>
    1000 * (hasLongTimes ? Number(file.readBigInt64BE(data + index * 8)) : file.readInt32BE(data + index * 4));
  const offsetOf = (type: number) => {
    if (type >= types) throw new TypeError('This TZif file names a type that it does not have');
    return 1000 * file.readInt32BE(data + times * (size + 1) + type * 6);
  };
  const changes = Array.from({ length: times }, (_, index) => ({
    at: timeAt(index),
    offset: offsetOf(file.readUInt8(data + times * size + index)),
  }));
  const first = offsetOf(0);
  const [, footer = '', after] = hasLongTimes ? file.toString('latin1', data + end(8)).split('\n') : ['', '', ''];
  const later = footer === '' ? undefined : offsetsByFooter(footer);
  if (after === undefined || (footer !== '' && !later)) throw new TypeError('This TZif file has no rule at its end');
  const last = changes.at(-1)?.at;
  return (at) => {
    if (later && (last === undefined || at >= last)) return later(at);
    return changes.findLast((change) => change.at <= at)?.offset ?? first;
  };
}
