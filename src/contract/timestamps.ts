// Parses and prints the four date formats of v1.md. `Date.parse` knows few zones and takes a date without a zone for local
// time instead of UTC. Printed dates are always in UTC.

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

// Hours east of UTC. An ambiguous name has the meaning that is more common for fleets: BST is British Summer Time (not
// Bangladesh), CST and PST are North American (not China, the Philippines), IST is India (not Ireland, Israel), AST is
// Atlantic (not Arabia), GST is the Gulf, SST is Samoa.
const ABBREVIATIONS: [hours: number, names: string][] = [
  [-11, 'SST'],
  [-10, 'HST'],
  [-9, 'AKST HDT'],
  [-8, 'AKDT PST'],
  [-7, 'PDT MST'],
  [-6, 'MDT CST'],
  [-5, 'CDT EST COT PET ECT'],
  [-4, 'EDT AST CLT BOT VET'],
  [-3.5, 'NST'],
  [-3, 'ADT BRT ART UYT CLST'],
  [-2.5, 'NDT'],
  [-2, 'BRST'],
  [0, 'UTC UCT GMT Z WET'],
  [1, 'WEST BST CET MET WAT'],
  [2, 'CEST MEST EET CAT SAST'],
  [3, 'EEST MSK TRT EAT IDT'],
  [3.5, 'IRST'],
  [4, 'GST SAMT AZT'],
  [5, 'PKT UZT YEKT'],
  [5.5, 'IST'],
  [5.75, 'NPT'],
  [6, 'BDT OMST'],
  [6.5, 'MMT'],
  [7, 'ICT WIB NOVT KRAT'],
  [8, 'SGT HKT MYT PHT AWST WITA IRKT ULAT'],
  [9, 'JST KST WIT YAKT'],
  [9.5, 'ACST'],
  [10, 'AEST CHST VLAT'],
  [10.5, 'ACDT'],
  [11, 'AEDT'],
  [12, 'NZST FJT'],
  [13, 'NZDT'],
];
const ZONES = new Map(
  ABBREVIATIONS.flatMap(([hours, names]) => names.split(' ').map((name) => [name, hours] as const)),
);

/** Minutes east of UTC of 'EST', '+0530', 'GMT+2', 'UTC-03:00', '+0000 UTC'; undefined if unknown. */
function zoneMinutes(zone: string): number | undefined {
  const offset = /^(?:UTC|GMT)?([+\-−])(\d{1,2})(?::?(\d{2}))?(?: [A-Z]{1,5})?$/i.exec(zone);
  if (!offset) {
    const hours = ZONES.get(zone.toUpperCase());
    return hours === undefined ? undefined : hours * 60;
  }
  const hours = Number(offset[2]);
  const minutes = Number(offset[3] ?? 0);
  if (hours > 15 || minutes > 59) return undefined;
  return (offset[1] === '+' ? 1 : -1) * (hours * 60 + minutes);
}

function monthNumber(word: string): number {
  return MONTHS.findIndex((name) => name.toLowerCase().startsWith(word.toLowerCase())) + 1;
}

const ISO_OR_SQL = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(.*)$/i;
const JOB = /^([A-Z]{3,9})\.? (\d{1,2}), (\d{4}),? (\d{1,2}):(\d\d):(\d\d) (.+)$/i;
const TUNNEL = /^([A-Z]{3,9})\.? (\d{1,2}),? (\d{4}),? (\d{1,2}):(\d\d)(?::(\d\d))? ([AP])\.?M\.?(?: (.+))?$/i;

/** Year, month, day, hour, minute, second and milliseconds of a written date, and its zone. */
function fieldsOf(text: string): [number[], string] | undefined {
  const iso = ISO_OR_SQL.exec(text);
  if (iso) {
    const [, year, month, day, hour, minute, second = '0', fraction = '0', zone = ''] = iso;
    const fields = [year, month, day, hour, minute, second].map(Number);
    return [[...fields, Math.trunc(Number(`0.${fraction}`) * 1000)], zone || 'UTC'];
  }
  const job = JOB.exec(text);
  if (job) {
    const [, month = '', day, year, hour, minute, second, zone = ''] = job;
    if (!/^[AP]\.?M\b/i.test(zone))
      return [[Number(year), monthNumber(month), ...[day, hour, minute, second].map(Number), 0], zone];
  }
  const tunnel = TUNNEL.exec(text);
  if (!tunnel) return undefined;
  const [, month = '', day, year, hour, minute, second = '0', half, zone = 'UTC'] = tunnel;
  if (Number(hour) < 1 || Number(hour) > 12) return undefined;
  const hours = (Number(hour) % 12) + (half?.toUpperCase() === 'P' ? 12 : 0);
  return [[Number(year), monthNumber(month), Number(day), hours, Number(minute), Number(second), 0], zone];
}

/** Parses any of the four formats; undefined for an invalid date or unknown zone. */
export function parseTimestamp(text: string): Date | undefined {
  const read = fieldsOf(text.trim().replace(/\s+/g, ' '));
  if (!read) return undefined;
  const [[year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milliseconds = 0], zone] = read;
  const offset = zoneMinutes(zone);
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute - offset, second, milliseconds);
  return date;
}

const two = (value: number) => String(value).padStart(2, '0');
const monthName = (date: Date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3);
const yearOf = (date: Date) => String(date.getUTCFullYear()).padStart(4, '0');

/** A job's StartTime and EndTime: 'Nov 2, 2026, 14:03:09 UTC'. */
export function printJobTime(date: Date): string {
  return `${monthName(date)} ${date.getUTCDate()}, ${yearOf(date)}, ${date.toISOString().slice(-13, -5)} UTC`;
}

/** A workflow's CreatedTime: '2026-11-02 14:03:09', in UTC. */
export function printSqlTime(date: Date): string {
  return date.toISOString().slice(0, -5).replace('T', ' ');
}

/** An artifact's CreatedTime: '2026-11-02T14:03:09.250+00:00'. */
export function printIsoTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}+00:00`;
}

/** A tunnel's Created: 'Nov 2 2026 2:03 PM', in UTC. */
export function printTunnelTime(date: Date): string {
  const hour = date.getUTCHours();
  const clock = `${hour % 12 || 12}:${two(date.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
  return `${monthName(date)} ${date.getUTCDate()} ${yearOf(date)} ${clock}`;
}
