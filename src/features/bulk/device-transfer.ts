// Devices that one page hands to another, by a short name that stands in the URL: they outlast a reload, in this tab.
import { onSession } from '#/api/session.ts';

const PREFIX = 'muster-devices-';
/** How many lists are kept; the oldest goes first. */
const MOST = 8;

/** The same for a browser that stores nothing; until the page is left. */
const here = new Map<string, readonly string[]>();

const stored = (): string[] =>
  Object.keys(sessionStorage)
    .filter((name) => name.startsWith(PREFIX))
    .sort((one, two) => Number(one.slice(PREFIX.length)) - Number(two.slice(PREFIX.length)));

/** Keeps these and gives the name for them. */
export function transferDevices(ids: readonly string[]): string {
  const name = String(Math.max(Date.now(), ...[...here.keys()].map((each) => Number(each) + 1)));
  here.set(name, ids);
  try {
    for (const old of stored().slice(0, -MOST + 1)) sessionStorage.removeItem(old);
    sessionStorage.setItem(PREFIX + name, JSON.stringify(ids));
  } catch {
    // Full or forbidden: a reload forgets them, and the page says so.
  }
  return name;
}

/** Undefined for a name of another tab, or of long ago. */
export function handedOver(name: string): readonly string[] | undefined {
  const known = here.get(name);
  if (known) return known;
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null');
    if (!Array.isArray(ids)) return undefined;
    const read = ids.filter((id) => typeof id === 'string');
    // The same array at every look.
    here.set(name, read);
    return read;
  } catch {
    return undefined;
  }
}

onSession((event) => {
  if (event !== 'out') return;
  here.clear();
  try {
    for (const name of stored()) sessionStorage.removeItem(name);
  } catch {
    // Nothing was stored.
  }
});
