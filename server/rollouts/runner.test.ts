// The runner over a real database, with a clock of its own.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { until } from '../../scripts/test-process.ts';
import type { Database } from '../store/database.ts';
import { insertDevice } from '../store/devices.ts';
import { devicesOfList, insertParent } from '../store/job-submissions.ts';
import { insertRollout, rolloutById, stepTo, type RolloutRow } from '../store/rollouts.ts';
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
    const caller = { account: { id: 1, email: '' }, actor: 'link', address: '' };
    return insertRollout(tx, { caller, draft, waves: ids, at: now });
  });
/** Its pace may leave a look out. */
const lookUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
  until(what, async () => {
    reads = 0;
    await look();
    return isSo();
  });
const read = ({ id }: RolloutRow) => rolloutById(db, 1, id);

test('a rollout that waits for its window is not looked at again before it opens', async () => {
  const night = { Days: ['Mon' as const], From: '22:00', To: '23:00', Zone: 'UTC' };
  const row = await make({ Windows: [night] });
  await lookUntil('it to rest', () => reads === 2);
  assert.equal((await read(row)).state, 'Waiting');
  reads = 0;
  for (let second = 0; second < 60; second++, now += 1000) await look();
  assert.equal(reads, 120); // of each look: which are open, and which have ended
  now = START + 12 * HOUR;
  await lookUntil('its wave', async () => (await read(row)).wave === 0);
});

test('a person who pauses and resumes a waiting rollout is not overlooked', async () => {
  const row = await make({ Advance: 'confirm', StartTime: new Date(START + HOUR).toISOString() });
  await look();
  await db.write(async (tx) => stepTo(tx, await rolloutById(tx, 1, row.id), { state: 'Paused' }));
  now = START + HOUR;
  await look();
  assert.equal((await read(row)).wave, -1);
  await db.write(async (tx) => stepTo(tx, await rolloutById(tx, 1, row.id), { state: 'Scheduled' }));
  await lookUntil('its wave', async () => (await read(row)).wave === 0);
});
