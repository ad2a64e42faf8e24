// Which zone data the windows of rollouts are read with. Node.js brings its own, which is as old as Node.js is; the tzdata
// package of the system may be newer, and say otherwise for a zone whose clocks a government has just changed.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RolloutWindow, ZoneData } from '#/contract/rollouts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { readTzif, type OffsetAt } from './tzif.ts';
import { offsetsOf } from './windows.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const AHEAD = 366 * DAY;
/** No zone changes its offset twice within this time. */
const SAMPLE = DAY / 4;
/** The system's package may be updated while the service runs. */
const KEPT = DAY / 4;
const MOST_KEPT = 1_000;
const VERSION = /^(?:# version )?(\d{4}[a-z]+)/;

export interface ZoneSource {
  /** Of the data that Node.js has: `2026c`. */
  version: string;
  offsetsIn: (zone: string) => OffsetAt;
  /** The system's zones: files in the format TZif. */
  folder: string;
}

/** TZDIR is where the C library looks, too. */
const SOURCE: ZoneSource = {
  version: process.versions.tz ?? '',
  offsetsIn: offsetsOf,
  folder: process.env['TZDIR'] ?? '/usr/share/zoneinfo',
};

/** Compares versions such as 2026c; 2026aa would follow 2026z. */
function isNewer(one: string, other: string): boolean {
  const key = (version: string) => `${version.slice(0, 4)}${version.slice(4).padStart(4)}`;
  return key(one) > key(other);
}

/** The version of the system's data: in `tzdata.zi` on Linux, in `+VERSION` on macOS and the BSDs. */
async function systemVersion(folder: string): Promise<string | undefined> {
  for (const name of ['tzdata.zi', '+VERSION']) {
    const text = await readFile(path.join(folder, name), 'latin1').catch(() => '');
    const version = VERSION.exec(text)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Since when two readings of a zone differ that do so now or within a year. */
function differenceSince(own: OffsetAt, system: OffsetAt, now: number): number | undefined {
  const differs = (at: number) => own(at) !== system(at);
  const first = Math.floor(now / MINUTE) * MINUTE;
  let at = first;
  while (!differs(at)) if ((at += SAMPLE) > first + AHEAD) return undefined;
  while (differs(at - SAMPLE)) if ((at -= SAMPLE) < first - AHEAD) return at;
  let [before, after] = [at - SAMPLE, at];
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / MINUTE / 2) * MINUTE;
    if (differs(middle)) after = middle;
    else before = middle;
  }
  return after;
}

type Outdated = ZoneData['Outdated'][number];

async function outdatedZone(zone: string, now: number, { version, offsetsIn, folder }: ZoneSource) {
  const Version = await systemVersion(folder);
  if (Version === undefined || !isNewer(Version, version)) return undefined;
  if (!/^\w[\w+-]*(?:\/\w[\w+-]*)*$/.test(zone)) return undefined;
  let system: OffsetAt;
  try {
    system = readTzif(await readFile(path.join(folder, zone)));
  } catch {
    // Not every system has every zone.
    return undefined;
  }
  const own = offsetsIn(zone);
  const since = differenceSince(own, system, now);
  if (since === undefined) return undefined;
  const Minutes = (system(since) - own(since)) / MINUTE;
  return { Zone: zone, Version, Since: printIsoTime(new Date(since)), Minutes } satisfies Outdated;
}

const kept = new Map<string, { until: number; outdated: Promise<Outdated | undefined> }>();

/** Which data judges these windows, and which of their zones the system knows better; nothing without windows. */
export async function zoneDataOf(
  windows: readonly RolloutWindow[] | undefined = [],
  now: number,
  source = SOURCE,
): Promise<{ Zones?: ZoneData }> {
  if (windows.length === 0) return {};
  const zones = [...new Set(windows.map(({ Zone }) => Zone))];
  const found = zones.map((zone) => {
    const key = `${source.folder} ${zone}`;
    const known = kept.get(key);
    if (known && now < known.until) return known.outdated;
    if (kept.size >= MOST_KEPT) kept.clear();
    const outdated = outdatedZone(zone, now, source);
    kept.set(key, { until: now + KEPT, outdated });
    return outdated;
  });
  const Outdated = (await Promise.all(found)).filter((each) => each !== undefined);
  return { Zones: { Version: source.version, Outdated } };
}
