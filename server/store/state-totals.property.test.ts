// The running totals, series and replays give what the changes give, whatever was noted late, removed, or has no totals yet.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../../scripts/test-property.ts';
import type { Database } from './database.ts';
import { insertDevice } from './devices.ts';
import { CAUSES, gapsIn, isOnline, pruneStates, type Cause, type Span, type StateChange } from './state-history.ts';
import { sumStates } from './state-sums.ts';
import { stateReplay } from './state-replay.ts';
import { stateSeries } from './state-series.ts';
import { addTotals, nextSums } from './state-totals.ts';
import { wholeAccount } from './scope.ts';
import { openTestDatabase } from './test-database.ts';

const DEVICES = 3;
const seqs = Array.from({ length: DEVICES }, (_, at) => at + 1);
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

/** By the changes alone, from the first one on. Before a gap at the beginning of the span nothing is known. */
async function sumsOf(seq: number, created: number, span: Span, gaps: Span[]) {
  const all = await db.all<StateChange>('SELECT at, cause FROM state_changes WHERE device_seq = ? ORDER BY at', seq);
  const was = all.findLast(({ at }) => at <= span.from)?.cause ?? null;
  const changes = all.filter(({ at }) => at > span.from && at <= span.to);
  const begin = gaps[0] && gaps[0].from <= span.from ? gaps[0].to : span.from;
  const first = all[0] && all[0].at <= begin ? 0 : (changes[0]?.at ?? span.to);
  return sumStates({ created: Math.max(created - (created % 1000), first), was, changes }, span, gaps);
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

/** What noteState would have left in the rows of devices. */
const noteLastStates = () =>
  db.write((tx) =>
    tx.run(
      `UPDATE devices SET
         last_seen = (SELECT max(at) FROM state_changes WHERE device_seq = seq),
         state_time = coalesce((SELECT max(at) FROM state_changes WHERE device_seq = seq), 0),
         state_online = coalesce((SELECT CASE WHEN cause IN (?, ?) THEN 1 ELSE 0 END FROM state_changes
           WHERE device_seq = seq AND at = (SELECT max(at) FROM state_changes WHERE device_seq = seq)), 0)`,
      CAUSES.connected,
      CAUSES.firstConnected,
    ),
  );

/** The letter of a device's state at a time, by the changes alone. */
async function letterAt(seq: number, time: number): Promise<string> {
  const last = await db.get<StateChange>(
    'SELECT at, cause FROM state_changes WHERE device_seq = ? AND at <= ? ORDER BY at DESC LIMIT 1',
    seq,
    time,
  );
  if (!last) return '-';
  return isOnline(last.cause) ? 'O' : 'F';
}

test('each moment of a series and of a replay has the states that the changes give', () =>
  holds(
    100,
    fc.asyncProperty(
      fc.array(happening, { maxLength: 30, size: 'max' }),
      moment,
      fc.integer({ min: 1, max: 9 }).map((step) => step * 150),
      async (happenings, from, step) => {
        await start(seqs.map(() => 0));
        for (const each of happenings) await happen(each);
        await noteLastStates();
        const count = 8;
        const to = from + step * (count - 1);
        const { online, devices } = await stateSeries(db, wholeAccount(1), { from, step, count });
        const replay = await stateReplay(db, wholeAccount(1), { from, to }, async () => {});
        const lettersAt = (at: number) => Promise.all(seqs.map((seq) => letterAt(seq, at)));
        // A device that never connected is in neither.
        const ever = await lettersAt(Number.MAX_SAFE_INTEGER);
        const ofReplay = (letters: string[]) => letters.filter((_, at) => ever[at] !== '-');
        const states = Array.from(replay.states, (letter) => String.fromCharCode(letter));
        assert.deepEqual(states, ofReplay(await lettersAt(from)), 'at the beginning of the replay');
        for (let index = 0; index < count; index++) {
          const at = from + index * step;
          const letters = await lettersAt(at);
          assert.equal(online[index], letters.filter((letter) => letter === 'O').length, `Online at ${at}`);
          assert.equal(devices[index], letters.filter((letter) => letter !== '-').length, `devices at ${at}`);
        }
        for (let next = 0; next < replay.changes; next++)
          states[replay.device[next] ?? 0] = replay.online[next] === 1 ? 'O' : 'F';
        assert.deepEqual(states, ofReplay(await lettersAt(to)), 'after all changes of the replay');
      },
    ),
  ));
