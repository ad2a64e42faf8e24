// Which devices a standing order gives a job, and that two nodes which both believe to lead give each only one.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Database } from '../store/database.ts';
import { insertDevice } from '../store/devices.ts';
import { devicesOfList, insertParent } from '../store/job-submissions.ts';
import { activeStandingOrders, devicesToDeploy, saveStandingOrder } from '../store/standing-orders.ts';
import { openTestDatabase } from '../store/test-database.ts';
import { openStandingOrders } from './standing-orders.ts';

let db: Database;
/** An order from before there were roles. */
const maker = { actor: 'link', credential: '', role: 'Admin', groups_json: '[]' } as const;

beforeEach(async () => {
  db = await openTestDatabase();
  await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)");
    await tx.run(
      `INSERT INTO artifacts (id, account_id, name, version, size_given, size_bytes, sha256, is_script, destination,
         run_command, folder, created) VALUES ('a', 1, 'myapp.sh', '1', 1, 1, '', 1, '/', 'true', '', 1)`,
    );
    const order = { name: 'hall', grp: 'hall', artifact_id: 'a', artifact_name: 'myapp', artifact_version: '1' };
    await saveStandingOrder(tx, { ...order, account_id: 1, ...maker, address: '', changed: 1 });
    for (let unit = 0; unit < 3; unit++) await insertDevice(tx, 1, { DeviceName: 'unit', DeviceGroup: 'hall' }, 1);
  });
});
afterEach(() => db.close());

/** Submits as dispatch.ts does; `fails`: the unit of work is lost with it. */
const runner = (fails = false) =>
  openStandingOrders({
    db,
    now: Date.now,
    dispatch: {
      submitIn: async (tx, { account }, { Name, DeviceIds = [] }) => {
        const what = { ruleName: 'myapp', artifactVersion: '1', artifactId: 'a', workflowId: null, command: () => '' };
        const submission = { ...what, accountId: account.id, name: Name, created: 1 };
        const id = await insertParent(tx, submission, await devicesOfList(tx, account.id, DeviceIds), {});
        if (fails) throw new Error('killed');
        return id;
      },
    },
  });
const jobs = async () =>
  (await db.get<{ count: number }>('SELECT count(*) AS count FROM jobs WHERE device_seq IS NOT NULL'))?.count;

test('each device gets one job, however many look at once', async () => {
  await Promise.all([runner()(), runner()(), runner()()]);
  assert.equal(await jobs(), 3);
  await runner()();
  assert.equal(await jobs(), 3);
});

test('a unit of work that is lost leaves neither a job nor a note of it', async () => {
  await assert.rejects(runner(true)(), /killed/);
  assert.equal(await jobs(), 0);
  await runner()();
  assert.equal(await jobs(), 3);
});

test('a group of the same name in another account is another group', async () => {
  await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 9, 9, 0)");
    await insertDevice(tx, 2, { DeviceName: 'theirs', DeviceGroup: 'hall' }, 1);
  });
  await runner()();
  const [order] = await activeStandingOrders(db);
  assert.ok(order);
  const nothing = { rolloutSeqs: [], tagIds: [] };
  assert.deepEqual(await devicesToDeploy(db, order, nothing, 9), []);
  const given = await db.all<{ account_id: number }>(
    'SELECT d.account_id FROM standing_order_devices n JOIN devices d ON d.seq = n.device_seq',
  );
  assert.deepEqual(
    given.map(({ account_id }) => account_id),
    [1, 1, 1],
  );
});
