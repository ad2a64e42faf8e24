// Bulk work of a role that is limited to device groups: what is outside does not exist for it, it is seen only by those who
// see all of it, and it stops when the rights that it began with shrink.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Bulk } from '#/contract/bulk.ts';
import type { Job } from '#/contract/jobs.ts';
import { createToken } from '../store/tokens.ts';
import { testBulk } from '../test-bulk.ts';
import type { TestBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { limitedCaller } from '../test-limited.ts';
import type { LimitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let bulk: TestBulk;
let own: LimitedCaller;
let ownBulk: TestBulk;
const ids = { mine: '', idle: '', theirs: '', lone: '', tag: '', workflow: '' };
const foreign: string[] = [];

const call = (method: string, path: string, body?: unknown) => service.call(method, path, body);
const deviceOf = async (id: string) => {
  const [row] = (await (await call('GET', `/v1/devices/1/9/filters?device_id=${id}`)).json()) as {
    DeviceGroup: string;
    DeviceName: string;
    DeviceTags: unknown;
  }[];
  return row;
};

before(async () => {
  service = await startTestService();
  fleet = testFleet(call);
  bulk = testBulk(call);
  ids.mine = (await fleet.device('anchor', 'anchor-press')).id;
  ids.idle = (await fleet.device('anchor', 'anchor-pump')).id;
  ids.theirs = (await fleet.device('bramble', 'bramble-press')).id;
  ids.lone = (await fleet.device('', 'lonely-press')).id;
  ids.tag = await bulk.tag('shared');
  ids.workflow = await fleet.workflow('true');
  foreign.push('bramble', 'lonely', ids.theirs, ids.lone);
  own = await limitedCaller(service, { role: 'Operator', groups: ['anchor'] }, foreign);
  // Its own work repeats the ids that it named.
  const naming = await limitedCaller(service, { role: 'Operator', groups: ['anchor'] }, ['bramble', 'lonely']);
  ownBulk = testBulk((...request) => naming.call(...request));
});
after(() => service.end());

const GONE = 'Skipped It no longer exists';

test('devices outside are unknown to every action', async () => {
  const Devices = [ids.mine, ids.theirs, ids.lone];
  const earlier = [await deviceOf(ids.theirs), await deviceOf(ids.lone)];
  const Values = { TagId: ids.tag };
  assert.deepEqual(await ownBulk.outcomes({ Action: 'tag', Devices, Values }), ['Done', GONE, GONE]);
  assert.deepEqual(await ownBulk.outcomes({ Action: 'untag', Devices, Values }), ['Done', GONE, GONE]);
  const edit = { Action: 'edit', Devices, Values: { CustomerName: 'mine now' } };
  assert.deepEqual(await ownBulk.outcomes(edit), ['Done', GONE, GONE]);
  assert.deepEqual(await ownBulk.outcomes({ Action: 'delete', Devices: Devices.slice(1) }), [GONE, GONE]);
  assert.deepEqual([await deviceOf(ids.theirs), await deviceOf(ids.lone)], earlier);
});

test('no device is created in another group or moved there', async () => {
  const count = async () => ((await (await call('GET', '/v1/devices/1/99')).json()) as object[]).length;
  const earlier = await count();
  const create = (groups: string[]) => ({
    Action: 'create',
    Devices: groups.map((DeviceGroup, at) => ({ DeviceName: `new-${at}`, DeviceGroup })),
  });
  for (const groups of [['anchor', 'bramble'], [''], ['bramble']])
    assert.equal(await own.status('POST', '/v1/bulk', create(groups)), 403, groups.join());
  for (const DeviceGroup of ['bramble', ''])
    assert.equal(
      await own.status('POST', '/v1/bulk', { Action: 'edit', Devices: [ids.mine], Values: { DeviceGroup } }),
      403,
      DeviceGroup,
    );
  assert.equal((await deviceOf(ids.mine))?.DeviceGroup, 'anchor');
  assert.equal(await count(), earlier);
  assert.deepEqual(await ownBulk.outcomes(create(['anchor'])), ['Done']);
});

test('new keys are for Admins', async () => {
  const newKey = { Action: 'newKey', Devices: [ids.mine] };
  assert.equal(await own.status('POST', '/v1/bulk', newKey), 403);
  const admin = await limitedCaller(service, { role: 'Admin', groups: ['anchor'] }, foreign);
  const made = await admin.json<{ Keys: { DeviceId: string }[] }>('POST', '/v1/bulk', {
    Action: 'newKey',
    Devices: [ids.mine, ids.theirs],
  });
  assert.deepEqual(
    made.Keys.map(({ DeviceId }) => DeviceId),
    [ids.mine],
  );
});

test('jobs outside are unknown, and jobs across groups stay as they are', async () => {
  const mixed = await fleet.submit({ DeviceIds: [ids.mine, ids.theirs], WorkflowId: ids.workflow });
  const theirs = await fleet.submit({ DeviceId: ids.theirs, WorkflowId: ids.workflow, Name: 'bramble job' });
  const mine = await fleet.submit({ DeviceId: ids.mine, WorkflowId: ids.workflow });
  const Jobs = [theirs, mixed, mine];
  const across = 'Failed It also runs on devices that are not in your groups';
  assert.deepEqual(await ownBulk.outcomes({ Action: 'stop', Jobs }), [GONE, across, 'Done']);
  assert.deepEqual(await ownBulk.outcomes({ Action: 'archive', Jobs }), [GONE, across, 'Done']);
  assert.deepEqual(await ownBulk.outcomes({ Action: 'delete', Jobs }), [GONE, across, 'Done']);
  const states = await Promise.all([theirs, mixed].map(async (id) => (await fleet.job(id)).Status));
  assert.deepEqual(states, ['Waiting', 'Waiting']);
  await bulk.outcomes({ Action: 'archive', Jobs: (await fleet.jobs()).map(({ JobId }: Job) => JobId) });
});

test('an undo moves no device to or from a group outside', async () => {
  const done = async (draft: object) => {
    const id = await bulk.begin(draft);
    await bulk.ended(id);
    return id;
  };
  const undone = async (id: string) => {
    const { BulkId } = await own.json<{ BulkId: string }>('POST', `/v1/bulk/${id}/undo`);
    return (await ownBulk.ended(BulkId)).Items.map(({ Outcome, Because }) => `${Outcome} ${Because}`.trim());
  };
  const wanderer = (await fleet.device('bramble', 'anchor-guest')).id;
  const here = await done({ Action: 'edit', Devices: [wanderer], Values: { DeviceGroup: 'anchor' } });
  assert.deepEqual(await undone(here), ['Failed Its earlier group is outside the groups of your role']);
  assert.equal((await deviceOf(wanderer))?.DeviceGroup, 'anchor');

  // Its own edit of a device that has left its groups since.
  const mine = await ownBulk.begin({ Action: 'edit', Devices: [wanderer], Values: { CustomerName: 'mine' } });
  await ownBulk.ended(mine);
  await done({ Action: 'edit', Devices: [wanderer], Values: { DeviceGroup: 'bramble' } });
  assert.deepEqual(await undone(mine), [GONE]);

  const across = await done({ Action: 'edit', Devices: [ids.mine, ids.theirs], Values: { CustomerName: 'x' } });
  assert.equal(await own.status('POST', `/v1/bulk/${across}/undo`), 404);
});

test('work is seen by those who see all that it is done to', async () => {
  const seen = async (id: string) => {
    const listed = (await own.json<Bulk[]>('GET', '/v1/bulk')).some(({ BulkId }) => BulkId === id);
    const status = await own.status('GET', `/v1/bulk/${id}`);
    assert.equal(status, listed ? 200 : 404);
    return listed;
  };
  const Values = { TagId: ids.tag };
  const done = async (draft: object) => {
    const id = await bulk.begin(draft);
    await bulk.ended(id);
    return id;
  };
  assert.equal(await seen(await done({ Action: 'tag', Devices: [ids.mine], Values })), true);
  const across = await done({ Action: 'tag', Devices: [ids.mine, ids.theirs], Values });
  assert.equal(await seen(across), false);
  assert.equal(await own.status('POST', `/v1/bulk/${across}/cancel`), 404);
  assert.equal(await own.status('DELETE', `/v1/bulk/${across}/keys`), 404);
  assert.equal(await seen(await done({ Action: 'edit', Devices: [ids.mine], Values: { CustomerSite: 'hall' } })), true);
  const mine = await fleet.submit({ DeviceId: ids.mine, WorkflowId: ids.workflow });
  const theirs = await fleet.submit({ DeviceId: ids.theirs, WorkflowId: ids.workflow });
  assert.equal(await seen(await done({ Action: 'stop', Jobs: [mine] })), true);
  assert.equal(await seen(await done({ Action: 'stop', Jobs: [mine, theirs] })), false);
  const moved = (await fleet.device('bramble', 'wanderer')).id;
  assert.equal(
    await seen(await done({ Action: 'edit', Devices: [moved], Values: { DeviceGroup: 'anchor' } })),
    true,
    'it is here now',
  );
  assert.equal(await seen(await done({ Action: 'edit', Devices: [moved], Values: { DeviceGroup: 'bramble' } })), false);
});

// ---- Rights that shrink ----------------------------------------------------------------------------------------------

/** Begins long work as this token, changes what it gives, and returns how much of it was done. */
async function shrunk(
  rights: { role: string; groups: string[]; person?: string },
  change: (tokenId: string) => string,
): Promise<{ State: string; Left: number; because: string[] }> {
  const { db } = service.context;
  const Devices = Array.from({ length: 20_000 }, (_, at) => `unknown-${at}`);
  const token = await db.write(async (tx) => {
    const made = await createToken(tx, 1, 'shrinking', Date.now());
    await tx.run(
      'UPDATE tokens SET role = ?, groups_json = ?, person_id = ? WHERE id = ?',
      rights.role,
      JSON.stringify(rights.groups),
      rights.person ?? null,
      made.id,
    );
    return made;
  });
  const begun = await service.call(
    'POST',
    '/v1/bulk',
    { Action: 'tag', Devices, Values: { TagId: ids.tag } },
    { Authorization: `Bearer ${token.secret}` },
  );
  assert.equal(begun.status, 200);
  const { BulkId } = (await begun.json()) as { BulkId: string };
  await db.write((tx) => tx.run(change(token.id)));
  await until(BulkId);
  const { State, Counts } = await bulk.get(BulkId, '?limit=1');
  const rows = await db.all<{ because: string }>(
    `SELECT DISTINCT because FROM bulk_items WHERE outcome = 'Left' AND bulk_seq = (SELECT seq FROM bulk WHERE id = ?)`,
    BulkId,
  );
  return { State, Left: Counts.Left, because: rows.map(({ because }) => because) };
}
const until = (id: string) => bulk.ended(id);

const BECAUSE = ['The role of whoever asked for it has changed since'];

for (const [what, change] of [
  ['a lesser role', (id: string) => `UPDATE tokens SET role = 'Viewer' WHERE id = '${id}'`],
  ['fewer groups', (id: string) => `UPDATE tokens SET groups_json = '["anchor"]' WHERE id = '${id}'`],
  ['a revoked token', (id: string) => `UPDATE tokens SET revoked = 1 WHERE id = '${id}'`],
  ['an expired token', (id: string) => `UPDATE tokens SET expires = 1 WHERE id = '${id}'`],
] as const)
  test(`work stops before its next items: ${what}`, async () => {
    const { State, Left, because } = await shrunk({ role: 'Operator', groups: ['anchor', 'other'] }, change);
    assert.deepEqual([State, because], ['Cancelled', BECAUSE]);
    assert.ok(Left > 0);
  });

test('work of a person stops when the person is made less, disabled or removed', async () => {
  const { db } = service.context;
  for (const [at, change] of [
    "UPDATE people SET role = 'Viewer' WHERE id = 'p0'",
    "UPDATE people SET state = 'Disabled' WHERE id = 'p1'",
    "DELETE FROM people WHERE id = 'p2'",
    `UPDATE people SET groups_json = '["anchor"]' WHERE id = 'p3'`,
  ].entries()) {
    await db.write((tx) =>
      tx.run(
        `INSERT INTO people (id, account_id, email, email_folded, name, role, state, created)
         VALUES (?, 1, ?, ?, '', 'Operator', 'Active', 0)`,
        `p${at}`,
        `p${at}@x`,
        `p${at}@x`,
      ),
    );
    const { State, Left } = await shrunk({ role: 'Operator', groups: [], person: `p${at}` }, () => change);
    assert.equal(State, 'Cancelled', change);
    assert.ok(Left > 0, change);
  }
});

test('work goes on when a role grows', async () => {
  const { State } = await shrunk(
    { role: 'Deployer', groups: ['anchor'] },
    (id) => `UPDATE tokens SET role = 'Admin', groups_json = '[]' WHERE id = '${id}'`,
  );
  assert.equal(State, 'Done');
});
