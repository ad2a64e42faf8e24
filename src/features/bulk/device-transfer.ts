// Devices that one page hands to another, by a short name in the URL: they outlast a reload, in this tab.
import * as z from 'zod/mini';
import { onSession } from '#/api/session.ts';
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
