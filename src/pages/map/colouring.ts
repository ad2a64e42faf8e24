// What colours the devices on the map beside their state: each gets a number, the largest groups or versions one of their
// own.
import type { VersionsById } from '#/api/device-versions.ts';
import type { FacetValue } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { compareVersions } from '#/lib/version-order.ts';

/** Groups with a colour and a letter of their own. */
const MOST_GROUPS = 8;
/** The same for versions: so many colours are told apart by everyone. */
const MOST_VERSIONS = 5;
/** The number of all groups and versions without a colour of their own, and that of devices without a version. */
export const REST = 8;
export const NONE = 9;
/** One more than the largest number. */
export const NUMBERS = 10;

/** Returns the number of the row at a place in the list of rows. */
export type NumberOf = (row: number, place: number) => number;

/** The largest groups, which get a colour; of equal ones the first by name. */
export function colouredGroups(groups: readonly FacetValue[]): string[] {
  return groups
    .filter(({ value }) => value !== '')
    .toSorted((one, two) => two.count - one.count)
    .slice(0, MOST_GROUPS)
    .map(({ value }) => value);
}

export function numberByGroup(group: ReturnType<FleetIndex['coded']>, groups: readonly string[]): NumberOf {
  const numbers = group?.texts.map((text) => {
    const number = text === '' ? -1 : groups.indexOf(text);
    return number < 0 ? REST : number;
  });
  return (row) => numbers?.[group!.code(row)] ?? REST;
}

/** The versions that get a colour, newest first, with their numbers of devices; `rest`: devices with any other version. */
export interface ColouredVersions {
  names: string[];
  counts: number[];
  rest: number;
}

export function colouredVersions(versions: VersionsById): ColouredVersions {
  const counts = new Map<string, number>();
  for (const version of versions.values()) counts.set(version, (counts.get(version) ?? 0) + 1);
  const largest = [...counts].sort(([a, one], [b, two]) => two - one || compareVersions(b, a)).slice(0, MOST_VERSIONS);
  // In the order of their numbers: a colour stays with its version while a rollout changes which is the largest.
  const names = largest.map(([version]) => version).sort((one, two) => compareVersions(two, one));
  const ofEach = names.map((name) => counts.get(name) ?? 0);
  return { names, counts: ofEach, rest: versions.size - ofEach.reduce((sum, count) => sum + count, 0) };
}

/** `ids`: of the list of rows. */
export function numberByVersion(versions: VersionsById, names: readonly string[], ids: readonly string[]): NumberOf {
  const numbers = new Map(names.map((name, number) => [name, number]));
  return (_, place) => {
    const version = versions.get(ids[place] ?? '');
    return version === undefined ? NONE : (numbers.get(version) ?? REST);
  };
}
