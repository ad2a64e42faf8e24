// Which device is in which wave: a function of the targets and the wanted waves, always with the same result.
import type { WaveDraft } from '#/contract/rollouts.ts';

export interface PlannedDevice {
  id: string;
  site: string;
}

/** Each device is in one wave, the first that takes it; `left`: in none. */
export interface WavePlan {
  waves: string[][];
  left: string[];
}

/**
 * The devices in an order in which each part of it has about its share of every site: the third of three devices of a
 * site has its place at five sixths.
 */
function spread(devices: readonly PlannedDevice[]): PlannedDevice[] {
  const sites = Map.groupBy(devices, ({ site }) => site);
  const ranked = [...sites.values()].flatMap((members, at) =>
    // Sites of one size do not all begin at the same place.
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
  // Chosen devices are in their waves before others are counted into any.
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

/** No site with several devices is all in one wave, as far as others can change places with one of them. */
function separate(waves: string[][], movable: ReadonlySet<string>, siteOf: ReadonlyMap<string, string>): void {
  const inWave = waves.map((wave) => {
    const sizes = new Map<string, number>();
    for (const id of wave) sizes.set(siteOf.get(id) ?? '', (sizes.get(siteOf.get(id) ?? '') ?? 0) + 1);
    return sizes;
  });
  const whole = new Map<string, number>();
  for (const site of siteOf.values()) whole.set(site, (whole.get(site) ?? 0) + 1);
  const isAlone = (site: string, at: number) => {
    const size = whole.get(site) ?? 0;
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
      const mine = wave.findLastIndex((id) => siteOf.get(id) === site && movable.has(id));
      if (mine === -1) continue;
      for (const [other, candidates] of waves.entries()) {
        if (other === at) continue;
        const theirs = candidates.findIndex((id) => {
          const of = siteOf.get(id) ?? '';
          // The change must not bring another site together here.
          const there = inWave[at]?.get(of) ?? 0;
          return (
            movable.has(id) && of !== site && (of === '' || there + 1 < (whole.get(of) ?? 0) || whole.get(of) === 1)
          );
        });
        const [from, to] = [wave[mine], candidates[theirs]];
        if (from === undefined || to === undefined) continue;
        wave[mine] = to;
        candidates[theirs] = from;
        move(site, at, other);
        move(siteOf.get(to) ?? '', other, at);
        break;
      }
    }
  }
}
