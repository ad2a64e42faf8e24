// The runner over a real database, with a clock of its own.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { until } from '../../scripts/test-process.ts';
import type { Database } from '../store/database.ts';
import { insertDevice } from '../store/devices.ts';
import { devicesOfList, insertParent } from '../store/job-submissions.ts';
import { moveOpenTimes } from '../store/open-times.ts';
import { insertRollout, rolloutById, applyStep, type RolloutRow } from '../store/rollouts.ts';
import { wholeAccount } from '../store/scope.ts';
import { CAUSES, noteState } from '../store/state-history.ts';
import { openTestDatabase } from '../store/test-database.ts';
import { openRolloutRunner } from './runner.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-23T10:00:00Z'); // a Monday

let db: Database;
let now: number;
let reads: number;
let look: () => Promise<void>;
beforeEach(async () => {
  db = await openTestDatabase();
  now = START;
  await db.write((tx) =>
    tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)"),
  );
  const counted: Database = {
    ...db,
    get: (...query) => (reads++, db.get(...query)),
    all: (...query) => (reads++, db.all(...query)),
  };
  const dispatch: Parameters<typeof openRolloutRunner>[0]['dispatch'] = {
    submitIn: async (tx, { account }, { Name, DeviceIds = [] }) => {
      const what = { ruleName: 'w', artifactVersion: '', artifactId: null, workflowId: null, command: () => 'true' };
      const submission = { ...what, accountId: account.id, name: Name, created: now };
      return insertParent(tx, submission, await devicesOfList(tx, account.id, DeviceIds), {});
    },
  };
  look = openRolloutRunner({ db: counted, now: () => now, dispatch });
});
afterEach(() => db.close());

const make = (more: Partial<RolloutDraft> = {}, waves = 2): Promise<RolloutRow> =>
  db.write(async (tx) => {
    const ids: string[][] = [];
    for (let wave = 0; wave < waves; wave++) {
      const { id } = await insertDevice(tx, 1, { DeviceName: 'unit', DeviceGroup: '' }, now);
      ids.push([id]);
    }
    const draft = {
      Name: 'pumps',
      WorkflowId: 'w',
      Gate: { SuccessPercent: 100, OnlineMinutes: 30, TimeoutMinutes: 600 },
      PauseAfter: { FailedCount: 0 },
      Advance: 'auto' as const,
      IncludeNew: false,
      ...more,
    };
    const caller = {
      account: { id: 1, email: '' },
      actor: 'link',
      address: '',
      credential: '',
      role: 'Admin' as const,
      groups: undefined,
    };
    return insertRollout(tx, { caller, draft, waves: ids, at: now });
  });
/** Its pace may leave a look out. */
const lookUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
  until(what, async () => {
    reads = 0;
    await look();
    return isSo();
  });
const read = ({ id }: RolloutRow) => rolloutById(db, wholeAccount(1), id);

test('a rollout that waits for its window is not looked at again before it opens', async () => {
  const night = { Days: ['Mon' as const], From: '22:00', To: '23:00', Zone: 'UTC' };
  const row = await make({ Windows: [night] });
  await lookUntil('it waits', async () => (await read(row)).state === 'Waiting');
  await lookUntil('a look at its waves that finds nothing to do', () => reads === 3);
  reads = 0;
  for (let second = 0; second < 60; second++, now += 1000) await look();
  assert.equal(reads, 120); // of each look: which are open, and which have ended
  now = START + 12 * HOUR;
  await lookUntil('its wave', async () => (await read(row)).wave === 0);
});

test('a person who pauses and resumes a waiting rollout is not overlooked', async () => {
  const row = await make({ Advance: 'confirm', StartTime: new Date(START + HOUR).toISOString() });
  await look();
  await db.write(async (tx) => applyStep(tx, await rolloutById(tx, wholeAccount(1), row.id), { state: 'Paused' }));
  now = START + HOUR;
  await look();
  assert.equal((await read(row)).wave, -1);
  await db.write(async (tx) => applyStep(tx, await rolloutById(tx, wholeAccount(1), row.id), { state: 'Scheduled' }));
  await lookUntil('its wave', async () => (await read(row)).wave === 0);
});

/** Lets time pass, or sets the clock. */
const pass = (by: number) => {
  now += by;
};
const setClock = (by: number) =>
  db.write(async (tx) => {
    await moveOpenTimes(tx, by);
    now += by;
  });
/** Many looks, none of which is left out by its pace. */
const settle = async (row: RolloutRow) => {
  const done = performance.now() + 200;
  await lookUntil('a while', () => performance.now() > done);
  return read(row);
};
const begins = (row: RolloutRow, wave: number) => lookUntil('its wave', async () => (await read(row)).wave === wave);
/** All devices of the rollout come Online, and the jobs that wait succeed. */
const succeed = () =>
  db.write(async (tx) => {
    for (const { seq } of await tx.all<{ seq: number }>('SELECT seq FROM devices'))
      await noteState(tx, seq, CAUSES.connected, now);
    await tx.run("UPDATE jobs SET status = 'Succeeded', started = ?1, ended = ?1 WHERE status = 'Waiting'", now);
    await tx.run('DELETE FROM to_judge');
  });

for (const [name, by] of [
  ['forward', 24 * HOUR],
  ['back', -24 * HOUR],
] as const) {
  test(`a clock set ${name} by a day neither pauses a running wave nor lengthens its time limit`, async () => {
    const row = await make();
    await begins(row, 0);
    pass(HOUR);
    await setClock(by);
    assert.equal((await settle(row)).state, 'Running');
    pass(8 * HOUR + 59 * MINUTE);
    assert.equal((await settle(row)).state, 'Running');
    pass(2 * MINUTE);
    await lookUntil('the pause', async () => (await read(row)).state === 'Paused');
    assert.match((await read(row)).because, /has not passed within 10 hours/);
  });

  test(`a clock set ${name} by a day leaves a gate of 30 minutes as long as it is`, async () => {
    const row = await make();
    await begins(row, 0);
    pass(MINUTE);
    await succeed();
    pass(20 * MINUTE);
    await setClock(by);
    pass(9 * MINUTE);
    assert.equal((await settle(row)).wave, 0);
    pass(2 * MINUTE);
    await begins(row, 1);
  });

  test(`a clock set ${name} by a day leaves a window at its time of the calendar`, async () => {
    const night = { Days: ['Mon' as const], From: '22:00', To: '23:00', Zone: 'UTC' };
    const row = await make({ Windows: [night] });
    await lookUntil('it waits', async () => (await read(row)).state === 'Waiting');
    await setClock(by);
    pass(12 * HOUR + MINUTE);
    assert.equal((await settle(row)).wave, -1);
    now = START + (by > 0 ? 7 * 24 * HOUR : 0) + 12 * HOUR + MINUTE;
    await begins(row, 0);
  });
}
