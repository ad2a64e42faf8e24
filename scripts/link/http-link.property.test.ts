// Agents that speak HTTP, as a model: whatever request or answer is lost, repeated or late, whoever restarts, and whatever
// people stop or delete, each job runs at most once and both sides know the same end of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../test-property.ts';
import { TestHttpLink } from './test-http-link.ts';

const MOST_JOBS = 3;

/** What happens to one request: it arrives and is answered, or one of both is lost, or it arrives twice. */
const FATES = ['arrives', 'arrives', 'arrives', 'lost', 'answer lost', 'twice'] as const;

type Step =
  | { do: 'submit' | 'finish' | 'kill agent' | 'time passes' }
  | { do: 'stop' | 'remove'; job: number }
  | { do: 'restart node'; node: number }
  | { do: 'request'; fate: (typeof FATES)[number]; node: number; late: boolean };

const job = fc.nat(MOST_JOBS - 1);
const node = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'submit' as const }) },
  { weight: 2, arbitrary: fc.constantFrom({ do: 'finish' as const }, { do: 'time passes' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'kill agent' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('stop' as const), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart node' as const), node }) },
  {
    weight: 24,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      fate: fc.constantFrom(...FATES),
      node,
      late: fc.boolean(),
    }),
  },
);

test('whatever happens to requests, each job runs at most once and both sides know the same end', () =>
  holds(
    60,
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const link = await TestHttpLink.open();
      const asked: { isStopped: boolean; isDeleted: boolean }[] = [];
      try {
        for (const each of steps) {
          if (each.do === 'submit' && asked.length < MOST_JOBS) {
            asked.push({ isStopped: false, isDeleted: false });
            await link.submit();
          } else if (each.do === 'stop' || each.do === 'remove') {
            const index = each.job % Math.max(1, asked.length);
            const wanted = asked[index];
            if (wanted) wanted[each.do === 'stop' ? 'isStopped' : 'isDeleted'] = true;
            if (wanted) await link[each.do](index);
          } else if (each.do === 'restart node') link.restartNode(each.node);
          else if (each.do === 'request') await link.request(each);
          else if (each.do === 'kill agent') link.killAgent();
          else if (each.do === 'time passes') link.passTime();
          else if (each.do === 'finish') link.finish();
          for (const { id, starts } of await link.records()) assert.ok(starts <= 1, `${id} ran ${starts} times`);
        }
        // Nothing is lost any more.
        for (let turn = 0; turn <= MOST_JOBS; turn++) {
          await link.settle();
          link.finish();
        }
        await link.settle();
        for (const [index, { id, row, starts, ranTo, printed }] of (await link.records()).entries()) {
          assert.ok(starts <= 1, `${id} ran ${starts} times`);
          const { isStopped, isDeleted } = asked[index] ?? { isStopped: false, isDeleted: false };
          if (isDeleted) continue;
          const status = row?.status;
          if (row && row.started === null) assert.equal(starts, 0, `${id} ran, and counts as not started`);
          if (ranTo === 'end') assert.equal(status, 'Succeeded', `${id} ran to its end`);
          else if (ranTo === 'stop') assert.equal(status, 'Cancelled', `${id} was stopped`);
          else if (isStopped) assert.ok(status === 'Cancelled' || status === 'Interrupted', `${id} is ${status}`);
          else assert.fail(`${id} is ${status}, and never ran`);
          if (row && ranTo === 'end') assert.equal(await link.outputOf(row.seq), printed);
        }
        assert.deepEqual(link.left(), [], 'the agent kept something');
      } finally {
        await link.close();
      }
    }),
  ));
