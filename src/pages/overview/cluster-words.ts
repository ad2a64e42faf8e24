// What moved together, in words.
import { devicesText } from '#/lib/format.ts';
import { WINDOW } from './together.ts';
import type { ChangeCluster, Moved } from './together.ts';

/** "14 devices of site Berlin". `count`: as many as the list behind it shows. */
export function clusterText({ rows, place }: ChangeCluster<Moved>, count = rows.length): string {
  const devices = devicesText(count);
  if (place) return `${devices} of ${place.kind} \u2068${place.name}\u2069`;
  const sites = new Set(rows.map(({ site, customer, group }) => site || customer || group)).size;
  return `${devices} from ${sites} places`;
}

/** "within 40 seconds", "within 2 minutes". */
export function spanText({ from, to }: ChangeCluster<Moved>): string {
  const seconds = Math.ceil((to - from) / 1000);
  if (seconds <= 1) return 'at the same moment';
  return seconds <= 90
    ? `within ${seconds} seconds`
    : `within ${Math.ceil(Math.min(WINDOW, to - from) / 60_000)} minutes`;
}

/** The location of a device, in words. */
export const placeText = ({ site, customer, group }: Moved): string =>
  [...new Set([site, customer, site || customer ? '' : group])].filter(Boolean).join(', ');
