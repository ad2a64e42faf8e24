// Wherever a replay jumps, every device has the state of its last change, and every site that is down its time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '#/lib/pace.ts';
import * as fc from 'fast-check';
import { holds } from '../../../scripts/test-property.ts';
import { FleetReplay, STATES, curveSteps, readReplay, type ReplayAnswer } from './replay-data.ts';

const DEVICES = 5;
const SITES = 2;
const END = 60;
const FROM = Date.UTC(2026, 0, 1);
const numberOf = { O: STATES.online, F: STATES.offline, '-': STATES.absent } as const;
type Letter = keyof typeof numberOf;

const second = fc.integer({ min: 0, max: END });
const past = fc.record({
  shown: fc.array(fc.boolean(), { minLength: DEVICES, maxLength: DEVICES }),
  states: fc.array(fc.constantFrom<Letter>('O', 'F', '-'), { minLength: DEVICES, maxLength: DEVICES }),
  changes: fc
    .array(
      fc.record({
        at: second,
        device: fc.integer({ min: 0, max: DEVICES - 1 }),
        state: fc.constantFrom<Letter>('O', 'F'),
      }),
      { maxLength: 40, size: 'max' },
    )
    .map((changes) => changes.sort((one, two) => one.at - two.at)),
  gap: fc.option(fc.record({ at: second, length: fc.integer({ min: 1, max: 20 }) })),
  sites: fc.array(fc.integer({ min: -1, max: SITES - 1 }), { minLength: DEVICES, maxLength: DEVICES }),
  jumps: fc.array(second, { minLength: 1, maxLength: 12 }),
  every: fc.integer({ min: 1, max: 9 }),
});
type Past = typeof past extends fc.Arbitrary<infer Each> ? Each : never;

const timeOf = (at: number) => new Date(FROM + at * 1000).toISOString();

function answerOf({ states, changes, gap }: Past): ReplayAnswer {
  return {
    From: timeOf(0),
    Devices: states.map((_, device) => `device ${device}`),
    States: states.join(''),
    Changes: {
      Seconds: changes.map(({ at }) => at),
      Device: changes.map(({ device }) => device),
      State: changes.map(({ state }) => state).join(''),
    },
    Gaps: gap ? [{ From: timeOf(gap.at), To: timeOf(gap.at + gap.length) }] : [],
  };
}

/** By one change after the other, from the beginning. */
function model({ states, changes, sites, shown }: Past, at: number) {
  const now = states.map((letter): number => numberOf[letter]);
  const down = new Map<number, number | undefined>();
  const look = (since: number | undefined) => {
    for (let site = 0; site < SITES; site++) {
      const own = now.filter((state, device) => shown[device] && sites[device] === site && state !== STATES.absent);
      const offline = own.filter((state) => state === STATES.offline).length;
      if (offline === 0 || 2 * offline < own.length) down.delete(site);
      else if (!down.has(site)) down.set(site, since);
    }
  };
  look(undefined);
  for (const change of changes) {
    if (change.at > at) break;
    now[change.device] = numberOf[change.state];
    look(FROM + change.at * 1000);
  }
  return { now, down };
}

test('a replay shows the states and the sites that the changes give, in whatever order it is looked at', () =>
  holds(
    400,
    fc.property(past, (each) => {
      const columns = readReplay(JSON.stringify(answerOf(each)), FROM + END * 1000);
      const isShown = Uint8Array.from(each.shown, Number);
      const fleet = { isShown, placeOf: Int32Array.from(each.sites), places: SITES };
      const seeking = new FleetReplay(columns, fleet, each.every);
      // Before the first device was created there is nothing to go to.
      const isEmpty = each.states.every((letter) => numberOf[letter] === STATES.absent);
      const begin = isEmpty ? (each.changes[0]?.at ?? 0) : 0;
      for (const jump of each.jumps) {
        const at = Math.max(jump, begin);
        seeking.moveTo(FROM + jump * 1000);
        const { now, down } = model(each, at);
        const isUnknown = each.gap !== null && at >= each.gap.at && at < each.gap.at + each.gap.length;
        const then = now.map((state) => (isUnknown && state !== STATES.absent ? STATES.unknown : state));
        assert.deepEqual(
          now.map((_, device) => seeking.stateOf(device)),
          then,
        );
        const kinds = new Uint8Array(DEVICES).fill(8);
        seeking.write(kinds, Int32Array.from(now.keys()));
        assert.deepEqual(
          [...kinds],
          then.map((state) => 8 + state),
        );
        assert.deepEqual(new Map(seeking.downPlaces(SITES).first.map(({ place, since }) => [place, since])), down);
        const count = (state: number) => then.filter((is, device) => each.shown[device] && is === state).length;
        assert.deepEqual(seeking.counts, {
          online: count(STATES.online),
          offline: count(STATES.offline),
          unknown: count(STATES.unknown),
        });
        // Played second by second it comes to the same.
        const playing = new FleetReplay(columns, fleet, each.every);
        for (let step = 0; step <= at; step++) playing.moveTo(FROM + step * 1000);
        assert.deepEqual(
          now.map((_, device) => playing.stateOf(device)),
          then,
        );
        assert.deepEqual(playing.downPlaces(SITES), seeking.downPlaces(SITES));
      }
      const curve = atOnce(curveSteps(columns, isShown, 12));
      for (const [index, x] of curve.x.entries()) {
        const { now } = model(each, (x - FROM) / 1000);
        const expected = now.filter((state, device) => each.shown[device] && state === STATES.online).length;
        assert.equal(curve.online[index] ?? expected, expected);
      }
    }),
  ));
