import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaveDraft } from '#/contract/rollouts.ts';
import { planWaves, type PlannedDevice } from './plan.ts';

const fleet = (count: number, sites = 1): PlannedDevice[] =>
  Array.from({ length: count }, (_, at) => ({ id: `d${at}`, site: `site ${at % sites}` }));
const sizes = (devices: PlannedDevice[], waves: WaveDraft[]) => {
  const plan = planWaves(devices, waves);
  return [...plan.waves.map((wave) => wave.length), plan.left.length];
};

test('percent is of all targets and cumulative, a count is of its wave, what is left over is said', () => {
  assert.deepEqual(
    sizes(fleet(1000), [{ Percent: 1 }, { Percent: 10 }, { Percent: 50 }, { Percent: 100 }]),
    [10, 90, 400, 500, 0],
  );
  assert.deepEqual(sizes(fleet(10), [{ Count: 1 }, { Count: 3 }]), [1, 3, 6]);
  assert.deepEqual(sizes(fleet(7), [{ Percent: 1 }, { Percent: 2 }, { Percent: 100 }]), [1, 0, 6, 0]);
  assert.deepEqual(sizes(fleet(3), [{ Count: 9 }, { Percent: 100 }]), [3, 0, 0]);
});

test('chosen devices are in their wave, whatever comes before it', () => {
  const plan = planWaves(fleet(10), [
    { Percent: 50 },
    { DeviceIds: ['d1', 'd2', 'unknown'] },
    { DeviceIds: ['d2', 'd3'] },
  ]);
  assert.deepEqual(plan.waves.slice(1), [['d1', 'd2'], ['d3']]);
  assert.equal(plan.waves[0]?.length, 5);
  assert.equal(plan.left.length, 2);
});

test('each wave has its share of every site', () => {
  const devices = fleet(400, 4);
  const [first = []] = planWaves(devices, [{ Percent: 10 }, { Percent: 100 }]).waves;
  const bySite = Map.groupBy(first, (id) => Number(id.slice(1)) % 4);
  assert.deepEqual(
    Array.from(bySite.values(), (ids) => ids.length),
    [10, 10, 10, 10],
  );
});

/** The same numbers at each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('thousands of random fleets: each device once, sizes as wanted, no site all in one wave', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = random(seed);
    const devices = fleet(1 + next(60), 1 + next(12));
    const ids = devices.map(({ id }) => id);
    const waves = Array.from({ length: 1 + next(5) }, (): WaveDraft => {
      const kind = next(3);
      if (kind === 0) return { Percent: 1 + next(100) };
      return kind === 1 ? { Count: 1 + next(20) } : { DeviceIds: [ids[next(ids.length)]!, ids[next(ids.length)]!] };
    });
    const plan = planWaves(devices, waves);
    const all = [...plan.waves, plan.left];
    assert.deepEqual(all.flat().toSorted(), ids.toSorted(), `seed ${seed}`);
    for (const [at, { DeviceIds = [] }] of waves.entries())
      for (const id of DeviceIds)
        assert.ok(
          plan.waves.slice(0, at + 1).some((wave) => wave.includes(id)),
          `seed ${seed}`,
        );
    assert.deepEqual(planWaves(devices, waves), plan);
    // Where two waves are large enough for one device of each site, none has a whole site.
    const sites = new Set(devices.map(({ site }) => site)).size;
    if (waves.some(({ DeviceIds }) => DeviceIds) || all.filter((wave) => wave.length >= sites).length < 2) continue;
    for (const wave of all)
      for (const [site, members] of Map.groupBy(wave, (id) => devices.find((each) => each.id === id)?.site)) {
        const size = devices.filter((each) => each.site === site).length;
        assert.ok(size === 1 || members.length < size, `seed ${seed}: ${site} is all in one wave`);
      }
  }
});
