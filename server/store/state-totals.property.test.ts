// The running totals give the sums that the changes give, whatever was noted late, removed, or has no totals yet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../../scripts/test-property.ts';
import type { Database } from './database.ts';
import { insertDevice } from './devices.ts';
import { CAUSES, gapsIn, pruneStates, type Cause, type Span, type StateChange } from './state-history.ts';
import { sumStates } from './state-sums.ts';
import { addTotals, nextSums } from './state-totals.ts';
import { openTestDatabase } from './test-database.ts';

const DEVICES = 3;
let db: Database;
before(async () => {
  db = await openTestDatabase();
  await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, '', 9, 9, 0)");
    for (let i = 0; i < DEVICES; i++) await insertDevice(tx, 1, { DeviceName: `device ${i}`, DeviceGroup: '' }, 0);
  });
});
after(() => db.close());

/** Few enough that two things happen at once. */
const moment = fc.integer({ min: 1, max: 120 }).map((at) => at * 75);
const cause = fc.constantFrom<Cause>(...Object.values(CAUSES));
/** What happens, in any order: a clock that was set, nodes with different clocks and slow writes note things late. */
const happening = fc.oneof(
  { weight: 9, arbitrary: fc.record({ at: moment, device: fc.integer({ min: 1, max: DEVICES }), cause }) },
  {
    weight: 2,
    arbitrary: fc.record({ totalsUntil: fc.oneof(moment, fc.constant(9_001)), atOnce: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ down: moment, length: fc.integer({ min: 1, max: 500 }) }) },
  { weight: 2, arbitrary: fc.record({ pruneBefore: moment }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

async function happen(each: Happening): Promise<void> {
  if ('totalsUntil' in each) {
    while (await addTotals(db, each.totalsUntil, each.atOnce));
  } else if ('pruneBefore' in each) await pruneStates(db, each.pruneBefore);
  else
    await db.write((tx) =>
      'down' in each
        ? tx.run(
            `INSERT INTO service_gaps (from_time, to_time) VALUES (?, ?)
             ON CONFLICT (from_time) DO UPDATE SET to_time = excluded.to_time`,
            each.down,
            each.down + each.length,
          )
        : tx.run(
            `INSERT INTO state_changes (at, device_seq, cause) VALUES (?, ?, ?)
             ON CONFLICT (at, device_seq) DO UPDATE SET cause = excluded.cause`,
            each.at,
            each.device,
            each.cause,
          ),
    );
}

async function start(created: readonly number[]): Promise<void> {
  await db.write(async (tx) => {
    for (const table of ['state_changes', 'service_gaps', 'state_totals']) await tx.run(`DELETE FROM ${table}`);
    for (const [at, time] of created.entries())
      await tx.run('UPDATE devices SET created = ? WHERE seq = ?', time, at + 1);
    await tx.run('INSERT INTO service_gaps (from_time, to_time) VALUES (0, 1)');
  });
}

/** By the changes alone. */
async function sumsOf(seq: number, created: number, span: Span, gaps: Span[]) {
  const all = await db.all<StateChange>('SELECT at, cause FROM state_changes WHERE device_seq = ? ORDER BY at', seq);
  const was = all.findLast(({ at }) => at <= span.from)?.cause ?? null;
  const changes = all.filter(({ at }) => at > span.from && at <= span.to);
  return sumStates({ created: created - (created % 1000), was, changes }, span, gaps);
}

test('sums by running totals are those by the changes, whatever was noted late, removed or not added yet', () =>
  holds(
    150,
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constant(0), moment), { minLength: DEVICES, maxLength: DEVICES }),
      fc.array(happening, { maxLength: 30, size: 'max' }),
      fc.array(fc.record({ from: moment, length: moment }), { minLength: 1, maxLength: 5, size: 'max' }),
      async (created, happenings, spans) => {
        await start(created);
        for (const each of happenings) await happen(each);
        for (const { from, length } of spans) {
          const span = { from, to: from + length };
          const gaps = await gapsIn(db, span);
          const sums = await nextSums(db, { accountId: 1, span, gaps }, 0, DEVICES);
          for (const [at, time] of created.entries()) {
            const { online, offline, unknown, changes, seq } = sums[at]!;
            assert.deepEqual({ online, offline, unknown, changes }, await sumsOf(seq, time, span, gaps));
          }
        }
      },
    ),
  ));
