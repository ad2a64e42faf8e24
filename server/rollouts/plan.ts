// Assigns devices to waves. The result depends only on the targets and the requested waves.
import type { WaveDraft } from '#/contract/rollouts.ts';

export interface PlannedDevice {
  id: string;
  site: string;
}

/** Each device is in the first wave that takes it; `left` are in none. */
export interface WavePlan {
  waves: string[][];
  left: string[];
}

/**
 * Orders the devices so that every section of the order has about its share of each site: of three devices at a site,
 * the third is placed at five sixths.
 */
function spread(devices: readonly PlannedDevice[]): PlannedDevice[] {
  const sites = Map.groupBy(devices, ({ site }) => site);
  const ranked = [...sites.values()].flatMap((members, at) =>
    // An offset by site keeps sites of the same size from all starting at the same place.
    members.map((device, nth) => ({ device, rank: (nth + ((at * 0.618_034) % 1)) / members.length })),
  );
  return ranked.sort((one, other) => one.rank - other.rank).map(({ device }) => device);
}

export function planWaves(devices: readonly PlannedDevice[], waves: readonly WaveDraft[]): WavePlan {
  const siteOf = new Map(devices.map(({ id, site }) => [id, site]));
  const open = new Set(siteOf.keys());
  const take = (ids: Iterable<string>, most = Infinity): string[] => {
    const taken: string[] = [];
    for (const id of ids) if (taken.length < most && open.delete(id)) taken.push(id);
    return taken;
  };
  // Devices that a wave lists by id are placed before any percentages and counts are filled.
  const planned = waves.map(({ DeviceIds }) => (DeviceIds ? take(DeviceIds) : []));
  const order = spread(devices.filter(({ id }) => open.has(id))).map(({ id }) => id);
  let before = 0;
  for (const [at, { Percent, Count }] of waves.entries()) {
    const chosen = planned[at] ?? [];
    const upTo = Percent === undefined ? 0 : Math.ceil((Percent * devices.length) / 100) - before;
    if (Percent !== undefined || Count !== undefined) chosen.push(...take(order, Count ?? Math.max(0, upTo)));
    before += chosen.length;
  }
  const left = take(order);
  separate([...planned, left], new Set(order), siteOf);
  return { waves: planned, left };
}

/**
 * Splits up sites whose devices are all in one wave, by swapping one of them with a device of another wave where
 * possible.
 */
function separate(waves: string[][], movable: ReadonlySet<string>, siteOf: ReadonlyMap<string, string>): void {
  const inWave = waves.map((wave) => {
    const sizes = new Map<string, number>();
    for (const id of wave) sizes.set(siteOf.get(id) ?? '', (sizes.get(siteOf.get(id) ?? '') ?? 0) + 1);
    return sizes;
  });
  const siteSizes = new Map<string, number>();
  for (const site of siteOf.values()) siteSizes.set(site, (siteSizes.get(site) ?? 0) + 1);
  const isAlone = (site: string, at: number) => {
    const size = siteSizes.get(site) ?? 0;
    return site !== '' && size > 1 && inWave[at]?.get(site) === size;
  };
  const move = (site: string, from: number, to: number) => {
    inWave[from]?.set(site, (inWave[from]?.get(site) ?? 0) - 1);
    inWave[to]?.set(site, (inWave[to]?.get(site) ?? 0) + 1);
  };
  for (const [at, wave] of waves.entries()) {
    const sites = new Set(wave.map((id) => siteOf.get(id) ?? ''));
    for (const site of sites) {
      if (!isAlone(site, at)) continue;
      const own = wave.findLastIndex((id) => siteOf.get(id) === site && movable.has(id));
      if (own === -1) continue;
      for (const [other, candidates] of waves.entries()) {
        if (other === at) continue;
        const swapped = candidates.findIndex((id) => {
          const of = siteOf.get(id) ?? '';
          // The swap must not bring all of another site together here.
          const there = inWave[at]?.get(of) ?? 0;
          return (
            movable.has(id) &&
            of !== site &&
            (of === '' || there + 1 < (siteSizes.get(of) ?? 0) || siteSizes.get(of) === 1)
          );
        });
        const [from, to] = [wave[own], candidates[swapped]];
        if (from === undefined || to === undefined) continue;
        wave[own] = to;
        candidates[swapped] = from;
        move(site, at, other);
        move(siteOf.get(to) ?? '', other, at);
        break;
      }
    }
  }
}
