// kill -9 of a real service in the middle of adding running totals: none is wrong and none is missing, in the first
// portion and where a late change sets them back.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { scratch } from '../test-agents.ts';
import { engineOfTests, killableService } from '../test-killable.ts';
import type { Database } from './database.ts';
import { openDatabase } from './sqlite.ts';
import { CAUSES, gapsIn, type Position, type StateChange } from './state-history.ts';
import { sumStates } from './state-sums.ts';
import { nextSums } from './state-totals.ts';

const DEVICES = 3;
/** Of each device: together more than one portion. */
const CHANGES = 400;
const MINUTE = 60_000;
const BEGIN = Date.now() - 24 * 60 * MINUTE;
const END = BEGIN + CHANGES * MINUTE;
/** What one portion writes, in this order. */
const WRITES = ['UPDATE state_changes SET online_before', 'INSERT INTO state_totals'];

const at = scratch();
const dataDir = path.join(at.folder, 'service');
const engine = await engineOfTests();
const service = await killableService(dataDir, engine.env);
after(async () => {
  await endProcesses();
  await engine.drop();
  at.remove();
});

/** The database of the service. It is written to only while that does not run. */
async function inDatabase<T>(read: (db: Database) => Promise<T>): Promise<T> {
  const url = engine.env['DATABASE_URL'];
  const db = url
    ? await (await import('./postgres.ts')).openPostgres(new URL(url))
    : openDatabase(path.join(dataDir, 'muster.db'));
  try {
    return await read(db);
  } finally {
    await db.close();
  }
}

const note = (db: Database, changes: (Position & StateChange)[]) =>
  db.write(async (tx) => {
    for (const { at: time, device_seq, cause } of changes)
      await tx.run('INSERT INTO state_changes (at, device_seq, cause) VALUES (?, ?, ?)', time, device_seq, cause);
  });

/** How far the totals are: all changes until there have them. */
async function reached(db: Database): Promise<Position> {
  const last = (await db.get<Position>('SELECT at, device_seq FROM state_totals')) ?? { at: 0, device_seq: 0 };
  const wrong = await db.get<{ count: number }>(
    'SELECT count(*) AS count FROM state_changes WHERE number IS NULL AND (at, device_seq) <= (?, ?)',
    last.at,
    last.device_seq,
  );
  assert.equal(wrong?.count, 0, 'a change without totals was passed over');
  return last;
}

/** Each device's sums by the totals are those by its changes. */
async function checkSums(db: Database): Promise<void> {
  for (const span of [
    { from: BEGIN - MINUTE, to: END },
    { from: BEGIN + 30_000, to: BEGIN + 150 * MINUTE },
    { from: BEGIN + 150 * MINUTE, to: END - 1 },
  ]) {
    const gaps = await gapsIn(db, span);
    for (const sums of await nextSums(db, { accountId: 1, span, gaps }, 0, DEVICES)) {
      const { seq, online, offline, unknown, changes } = sums;
      const all = await db.all<StateChange>(
        'SELECT at, cause FROM state_changes WHERE device_seq = ? ORDER BY at',
        seq,
      );
      const was = all.findLast((change) => change.at <= span.from)?.cause ?? null;
      const within = all.filter((change) => change.at > span.from && change.at <= span.to);
      const expected = sumStates(
        { created: was === null ? (within[0]?.at ?? span.to) : 0, was, changes: within },
        span,
        gaps,
      );
      assert.deepEqual({ online, offline, unknown, changes }, expected);
      assert.ok(online > 0 && offline > 0);
    }
  }
}

/** Killed at each of the writes of a portion, from where the totals are, and let go on then. */
async function addKilled(): Promise<void> {
  const before = await inDatabase(reached);
  for (const write of WRITES) {
    assert.equal(await service.launch(write).ended, null, `it did not end at ${write}`);
    assert.deepEqual(await inDatabase(reached), before, 'a portion is added as a whole or not at all');
    await inDatabase(checkSums);
  }
  await service.start();
  await inDatabase((db) => until('all totals', async () => (await reached(db)).at >= END - MINUTE));
  await service.kill();
  await inDatabase(checkSums);
}

test('kills while totals are added, and while they are added again, leave none wrong or missing', async () => {
  for (let unit = 0; unit < DEVICES; unit++) await service.fleet.device();
  await service.stop();
  await inDatabase(async (db) => {
    await db.write(async (tx) => {
      await tx.run('UPDATE devices SET created = 0');
      // Its own first start: what was before is unknown.
      await tx.run('UPDATE service_gaps SET to_time = ? WHERE from_time = 0', BEGIN - MINUTE);
    });
    const devices = await db.all<{ seq: number }>('SELECT seq FROM devices ORDER BY seq');
    const causes = [CAUSES.connected, CAUSES.disconnected];
    await note(
      db,
      devices.flatMap(({ seq }, unit) =>
        Array.from({ length: CHANGES }, (_, n) => ({
          at: BEGIN + n * MINUTE + unit * 7_000,
          device_seq: seq,
          cause: causes[n % 2]!,
        })),
      ),
    );
  });
  await addKilled();
  await inDatabase(async (db) => {
    const [first] = await db.all<{ seq: number }>('SELECT seq FROM devices ORDER BY seq');
    await note(db, [{ at: BEGIN + 100 * MINUTE + 30_000, device_seq: first!.seq, cause: CAUSES.disconnected }]);
    assert.ok((await reached(db)).at < END - MINUTE, 'the late change sets the totals back');
  });
  await addKilled();
});
