// Whatever a device did and however often the service was down, its three sums are the whole time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../../scripts/test-property.ts';
import { CAUSES, isOnline, type Cause, type Span } from './state-history.ts';
import { sumStates } from './state-sums.ts';

const END = 60;
const time = fc.integer({ min: 0, max: END });
const cause = fc.constantFrom<Cause>(...Object.values(CAUSES));
const timeline = fc.record({
  created: time,
  was: fc.option(cause),
  changes: fc
    .uniqueArray(fc.record({ at: fc.integer({ min: 11, max: 50 }), cause }), { selector: ({ at }) => at })
    .map((changes) => changes.sort((one, two) => one.at - two.at)),
});
/** Neighbouring pairs of these are gaps. */
const gaps = fc
  .uniqueArray(time, { maxLength: 8 })
  .map((times) => times.sort((one, two) => one - two))
  .map((times) =>
    times.flatMap((from, at): Span[] => (at % 2 === 0 && times[at + 1] ? [{ from, to: times[at + 1]! }] : [])),
  );

test('each moment counts once: in a gap as Unknown, else as the last change says', () =>
  holds(
    500,
    fc.property(timeline, gaps, (device, down) => {
      const span = { from: 10, to: 50 };
      const counted = { online: 0, offline: 0, unknown: 0 };
      for (let at = Math.max(span.from, device.created); at < span.to; at++) {
        const last = device.changes.findLast((change) => change.at <= at)?.cause ?? device.was;
        if (down.some(({ from, to }) => at >= from && at < to)) counted.unknown++;
        else if (last !== null && isOnline(last)) counted.online++;
        else counted.offline++;
      }
      assert.deepEqual(sumStates(device, span, down), { ...counted, changes: device.changes.length });
    }),
  ));
