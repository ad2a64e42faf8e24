// Devices that one page hands to another, by a short name in the URL: they outlast a reload, in this tab.
import * as z from 'zod/mini';
import { onSession } from '#/api/session.ts';
import type { DeployStart } from '#/paths.ts';
import { json, storedInTab, tabKeys } from '#/lib/stored.ts';

const PREFIX = 'muster-devices-';
/** How many lists are stored; the oldest goes first. */
const MOST = 8;
const NONE: readonly string[] = [];

/** Lists that need not be read again; those that the browser refused to store, too. */
const here = new Map<string, readonly string[]>();

const listIn = (key: `muster-devices-${string}`) => storedInTab(key, NONE, json(z.readonly(z.array(z.string()))));
const storedKeys = () =>
  tabKeys(PREFIX).sort((one, two) => Number(one.slice(PREFIX.length)) - Number(two.slice(PREFIX.length)));

export function transferDevices(ids: readonly string[]): string {
  const name = String(Math.max(Date.now(), ...[...here.keys()].map((each) => Number(each) + 1)));
  here.set(name, ids);
  for (const old of storedKeys().slice(0, -MOST + 1)) listIn(old).set(NONE);
  listIn(`${PREFIX}${name}`).set(ids);
  return name;
}

/** Why several devices cannot be deployed to at once. */
export const NO_SELECTION = 'This service deploys to a device, a group or a tag, not to a selection';

/** What a deploy to these devices starts with; undefined where the service does not take so many at once. */
export function deployStartOf(ids: readonly string[], takesSelection: boolean): DeployStart | undefined {
  if (takesSelection) return { selection: transferDevices(ids) };
  const [device] = ids;
  return ids.length === 1 && device !== undefined ? { device } : undefined;
}

/** Undefined for a name of another tab, or of long ago. */
export function transferredDevices(name: string): readonly string[] | undefined {
  const ids = here.get(name) ?? listIn(`${PREFIX}${name}`).get();
  if (ids === NONE) return undefined;
  here.set(name, ids);
  return ids;
}

onSession((event) => {
  if (event !== 'out') return;
  here.clear();
  for (const key of storedKeys()) listIn(key).set(NONE);
});
