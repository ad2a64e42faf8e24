// The order of version numbers as people write them: 1.10 comes after 1.9, and 2.0-rc.1 before 2.0.

const { compare } = new Intl.Collator('en', { numeric: true });

/** The number, and what is attached to it: 2.0-rc.1 → 2.0, rc.1. A release is newer than its candidates, older than its revisions. */
function partsOf(version: string): { number: string; rank: number; suffix: string } {
  const [, number = version, suffix = ''] = /^v?(\d+(?:\.\d+)*)(.*)$/i.exec(version.trim()) ?? [];
  const isBefore = /^[-.~_]?(?:[a-z]|$)/i.test(suffix) && suffix !== '';
  return { number, rank: suffix === '' ? 0 : isBefore ? -1 : 1, suffix };
}

/** Sorts older versions first. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return compare(a.number, b.number) || a.rank - b.rank || compare(a.suffix, b.suffix);
}
