// When the devices of the demo were Offline in the month that has passed: now and then, at night, after a power failure at a
// site, or for good.
import { chanceOf, chances } from './chance.ts';
import type { DemoDevice } from './fleet.ts';

export interface Change {
  at: number;
  device: DemoDevice;
  online: boolean;
}
interface Span {
  from: number;
  to: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An ordinary device loses its connection about this often. */
const EVERY = 13 * DAY;
const SHORTEST = 4 * MINUTE;
const LONGEST = 7 * HOUR;
/** A share of the devices with a bad connection, and how often they lose it. */
const BAD = 0.025;
const BAD_EVERY = 0.9 * DAY;
/** A share that went Offline some days ago and did not come back. */
const GONE = 0.018;
/** Kiosks of this customer are switched off at night. */
const NIGHTLY = 'Orchard Bank';

export const midnight = (at: number): number => Math.floor(at / DAY) * DAY;

/** Some minutes to some hours; short ones are more frequent. */
const longAs = (chance: number) => SHORTEST * (LONGEST / SHORTEST) ** chance;

function nowAndThen(device: DemoDevice, { from, to }: Span): Span[] {
  const chance = chances(`outages of ${device.name}`);
  const isBad = chance() < BAD;
  const spans: Span[] = [];
  for (let at = from; ;) {
    at -= Math.log(1 - chance()) * (isBad ? BAD_EVERY : EVERY);
    if (at >= to) return spans;
    const end = at + longAs(chance() * (isBad ? 0.6 : 1));
    spans.push({ from: at, to: end });
    at = end;
  }
}

function nights({ name, city, customer, group }: DemoDevice, { from, to }: Span): Span[] {
  if (customer !== NIGHTLY || group !== 'kiosks') return [];
  const nightly: Span[] = [];
  const jitter = (what: string) => Math.round(chanceOf(`${name} ${what}`) * 20) * MINUTE;
  for (let day = midnight(from) - DAY; day < to; day += DAY)
    nightly.push({
      from: day + (20 - city.hours) * HOUR + jitter(`off ${day}`),
      to: day + (31 - city.hours) * HOUR + jitter(`on ${day}`),
    });
  return nightly;
}

/** What a whole site went through: the devices went within a minute, and came back as their switches did. */
function atSite({ name }: DemoDevice, { from, to }: Span, comeBack: number): Span {
  return {
    from: from + Math.round(chanceOf(`${name} off at ${from}`) * 50) * 1_000,
    to: to + Math.round(chanceOf(`${name} on at ${from}`) * comeBack),
  };
}

function ofSites(device: DemoDevice, end: number): Span[] {
  const { name: city } = device.city;
  const span = (from: number, hours: number) => ({ from, to: from + hours * HOUR });
  // A power failure, a broken line this morning, and one that is not mended yet.
  if (city === 'Hamburg') return [atSite(device, span(midnight(end) - 11 * DAY + 2.2 * HOUR, 3.3), 50 * MINUTE)];
  if (city === 'Chicago') return [atSite(device, span(end - 8.5 * HOUR, 0.7), 35 * MINUTE)];
  if (city === 'Auckland') return [atSite(device, span(end - 1.3 * HOUR, 48), 0)];
  return [];
}

function gone({ name }: DemoDevice, end: number): Span[] {
  if (chanceOf(`gone ${name}`) >= GONE) return [];
  return [{ from: end - (0.2 + 9 * chanceOf(`gone since ${name}`)) * DAY, to: Infinity }];
}

/** All changes of a device in a span, at whose beginning it connects. */
export function changesOf(device: DemoDevice, { from, to }: Span): Change[] {
  const round = (at: number) => Math.ceil(at / MINUTE) * MINUTE;
  const spans = [
    ...[...nowAndThen(device, { from, to }), ...nights(device, { from, to }), ...gone(device, to)].map((span) => ({
      from: round(span.from),
      to: round(span.to),
    })),
    ...ofSites(device, to),
  ].toSorted((one, other) => one.from - other.from);
  const changes: Change[] = [];
  let offline: Span | undefined;
  const add = ({ from: off, to: on }: Span) => {
    if (off > from && off < to) changes.push({ at: off, device, online: false });
    if (on > from && on < to) changes.push({ at: on, device, online: true });
  };
  if (!spans.some((span) => span.from <= from && span.to > from)) changes.push({ at: from, device, online: true });
  for (const span of spans) {
    if (offline && span.from <= offline.to) offline.to = Math.max(offline.to, span.to);
    else {
      if (offline) add(offline);
      offline = { ...span };
    }
  }
  if (offline) add(offline);
  return changes;
}
