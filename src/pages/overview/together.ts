// Devices that went or came back at the same time and belong together: one line for a site that lost its uplink, not
// fourteen.

/** Within so many milliseconds. */
export const WINDOW = 120_000;
/** Fewer are listed one by one. */
const LEAST = 3;
/** As many as this, and this share of the fleet: it is no site, it is what all of them depend on. */
const MASS = 20;
const MASS_SHARE = 0.1;

export interface Place {
  kind: 'site' | 'customer' | 'group';
  name: string;
}

export interface Moved {
  id: string;
  at: number;
  site: string;
  customer: string;
  group: string;
}

export interface ChangeCluster<Row> {
  /** By time. */
  rows: readonly Row[];
  from: number;
  to: number;
  /** Undefined for one device, and for many from all over the fleet. */
  place: Place | undefined;
}

function placeOf({ site, customer, group }: Moved): Place | undefined {
  if (site) return { kind: 'site', name: site };
  if (customer) return { kind: 'customer', name: customer };
  return group ? { kind: 'group', name: group } : undefined;
}

const keyOf = (place: Place | undefined) => place && `${place.kind}\n${place.name}`;

/** Rows in order of time, cut where one is too late for the first. */
function windows<Row extends Moved>(rows: readonly Row[]): Row[][] {
  const found: Row[][] = [];
  for (const row of rows) {
    const last = found.at(-1);
    if (last?.[0] && row.at - last[0].at <= WINDOW) last.push(row);
    else found.push([row]);
  }
  return found;
}

const cluster = <Row extends Moved>(rows: readonly Row[], place?: Place): ChangeCluster<Row> => ({
  rows,
  from: rows[0]?.at ?? 0,
  to: rows.at(-1)?.at ?? 0,
  place,
});

/** `moved` in any order; `fleet`: how many devices there are. The result is in the order of time. */
export function together<Row extends Moved>(moved: readonly Row[], fleet: number): ChangeCluster<Row>[] {
  const sorted = moved.toSorted((one, two) => one.at - two.at);
  const found: ChangeCluster<Row>[] = [];
  const places = new Map<string, { place: Place; rows: Row[] }>();
  for (const rows of windows(sorted)) {
    const keys = new Set(rows.map((row) => keyOf(placeOf(row))));
    if (rows.length >= Math.max(MASS, fleet * MASS_SHARE) && keys.size > 1) {
      found.push(cluster(rows));
      continue;
    }
    for (const row of rows) {
      const place = placeOf(row);
      const key = keyOf(place);
      if (!place || key === undefined) found.push(cluster([row]));
      else if (places.has(key)) places.get(key)?.rows.push(row);
      else places.set(key, { place, rows: [row] });
    }
  }
  for (const { place, rows } of places.values())
    for (const each of windows(rows))
      if (each.length >= LEAST) found.push(cluster(each, place));
      else for (const row of each) found.push(cluster([row]));
  return found.sort((one, two) => one.from - two.from);
}
