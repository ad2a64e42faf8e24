// Groups devices that disconnected or came back together: one line for a site that lost its uplink, not fourteen.
import { devicesText } from '#/lib/format.ts';

/** Milliseconds between the first and last change of a cluster, at most. */
const WINDOW = 120_000;
/** Fewer devices are listed one by one. */
const LEAST = 3;
/** At least this many devices, and this share of the fleet, point to something that all sites depend on. */
const MASS = 20;
const MASS_SHARE = 0.1;

/** The site, customer or group that a device belongs to. */
interface Owner {
  kind: 'site' | 'customer' | 'group';
  name: string;
}

export interface ChangedState {
  id: string;
  at: number;
  site: string;
  customer: string;
  group: string;
}

export interface ChangeCluster<Row> {
  /** Sorted by time. */
  rows: readonly Row[];
  from: number;
  to: number;
  /** Undefined for a single device, and for devices from all over the fleet. */
  owner: Owner | undefined;
}

function ownerOf({ site, customer, group }: ChangedState): Owner | undefined {
  if (site) return { kind: 'site', name: site };
  if (customer) return { kind: 'customer', name: customer };
  return group ? { kind: 'group', name: group } : undefined;
}

const keyOf = (owner: Owner | undefined) => owner && `${owner.kind}\n${owner.name}`;

/** Splits rows, which are sorted by time, into windows. */
function windows<Row extends ChangedState>(rows: readonly Row[]): Row[][] {
  const found: Row[][] = [];
  for (const row of rows) {
    const last = found.at(-1);
    if (last?.[0] && row.at - last[0].at <= WINDOW) last.push(row);
    else found.push([row]);
  }
  return found;
}

const cluster = <Row extends ChangedState>(rows: readonly Row[], owner?: Owner): ChangeCluster<Row> => ({
  rows,
  from: rows[0]?.at ?? 0,
  to: rows.at(-1)?.at ?? 0,
  owner,
});

/** `changes` in any order; `fleet`: the number of devices. The result is sorted by time. */
export function clusterChanges<Row extends ChangedState>(changes: readonly Row[], fleet: number): ChangeCluster<Row>[] {
  const found: ChangeCluster<Row>[] = [];
  const rest: Row[] = [];
  for (const rows of windows(changes.toSorted((one, two) => one.at - two.at))) {
    const isMass = rows.length >= Math.max(MASS, fleet * MASS_SHARE);
    if (isMass && new Set(rows.map((row) => keyOf(ownerOf(row)))).size > 1) found.push(cluster(rows));
    else rest.push(...rows);
  }
  for (const [key, rows] of Map.groupBy(rest, (row) => keyOf(ownerOf(row))))
    for (const each of windows(rows))
      if (key !== undefined && each.length >= LEAST) found.push(cluster(each, ownerOf(each[0]!)));
      else found.push(...each.map((row) => cluster([row])));
  return found.sort((one, two) => one.from - two.from);
}

/** "14 devices of site Berlin". `count`: the number of devices that the linked list shows. */
export function clusterText({ rows, owner }: ChangeCluster<ChangedState>, count = rows.length): string {
  if (owner) return `${devicesText(count)} of ${owner.kind} ${owner.name}`;
  const sites = new Set(rows.map(({ site, customer, group }) => site || customer || group)).size;
  return `${devicesText(count)} from ${sites} sites or groups`;
}

/** "within 40 seconds", "within 2 minutes" */
export function spanText({ from, to }: ChangeCluster<ChangedState>): string {
  const seconds = Math.ceil((to - from) / 1000);
  if (seconds <= 1) return 'at the same moment';
  return seconds <= 90
    ? `within ${seconds} seconds`
    : `within ${Math.ceil(Math.min(WINDOW, to - from) / 60_000)} minutes`;
}

export const ownersText = ({ site, customer, group }: ChangedState): string =>
  [...new Set([site, customer, site || customer ? '' : group])].filter(Boolean).join(', ');
