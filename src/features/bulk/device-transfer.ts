// Passes lists of devices from one page to another by a short name in the URL. A list survives a reload of this tab.
import * as z from 'zod/mini';
import { onSession } from '#/api/session.ts';
import type { DeployStart } from '#/paths.ts';
import { json, storedInTab, tabKeys } from '#/lib/stored.ts';

const PREFIX = 'muster-devices-';
/** Most lists stored; the oldest is removed first. */
const MOST = 8;
const NONE: readonly string[] = [];

/** Lists in memory, including those that the browser refused to store. */
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

/** Why a selection of several devices cannot be a target. */
export const NO_SELECTION = 'This service deploys to a device, a group or a tag, not to a selection';

/** The initial target of a deploy to these devices; undefined if the service does not accept a selection. */
export function deployStartOf(ids: readonly string[], takesSelection: boolean): DeployStart | undefined {
  if (takesSelection) return { selection: transferDevices(ids) };
  const [device] = ids;
  return ids.length === 1 && device !== undefined ? { device } : undefined;
}

/** Undefined for the name of a list of another tab, or of one that has been removed. */
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
