// The audit log over real HTTP: filters, pages, CSV, what is in it, and the chain of hashes that shows a change.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import { hashAudit, verifyAudit } from '../store/audit-log.ts';
import type { Database, Tx } from '../store/database.ts';
import { onPostgres } from '../store/test-database.ts';
import { until } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

async function read(query = ''): Promise<{ Items: AuditEntry[]; Next: string }> {
  const response = await service.call('GET', `/v1/audit${query}`);
  assert.equal(response.status, 200);
  return (await response.json()) as { Items: AuditEntry[]; Next: string };
}
const actions = async (query: string) => (await read(query)).Items.map(({ Action }) => Action);
const device = async (name: string) => (await testFleet((...request) => service.call(...request)).device('', name)).id;

test('an entry says who did what to which object, when and from where', async () => {
  const id = await device('pump-7');
  await service.call('PATCH', `/v1/devices/${id}`, { DeviceGroup: 'pumps' });
  const [changed, created, ...others] = (await read(`?object=${id}`)).Items;
  assert.deepEqual(others, []);
  assert.deepEqual([created?.Action, changed?.Action], ['device.create', 'device.update']);
  assert.deepEqual([changed?.Object, changed?.ObjectName, changed?.Outcome], [id, 'pump-7', 'done']);
  assert.match(changed?.Actor ?? '', /^token:/);
  assert.ok(changed?.ActorName && changed.Address && !Number.isNaN(Date.parse(changed.Time)));
  assert.match(changed.Hash, /^[0-9a-f]{64}$/);
});

test('each condition leaves what meets it', async () => {
  const id = await device('filtered');
  const tag = await service.call('POST', '/v1/tag/audited');
  assert.equal(tag.status, 200);
  const tags = (await (await service.call('GET', '/v1/tag')).json()) as { TagId: string }[];
  await service.call('POST', `/v1/devices/${id}/tag/${tags[0]?.TagId}`);
  assert.deepEqual(await actions(`?object=${id}`), ['tag.attach', 'device.create']);
  assert.deepEqual(await actions(`?object=${id}&action=tag`), ['tag.attach']);
  assert.deepEqual(await actions(`?object=${id}&action=device.create`), ['device.create']);
  assert.deepEqual(await actions(`?object=${id}&action=devic`), []);
  assert.deepEqual(await actions(`?object=${id}&outcome=refused`), []);
  assert.deepEqual(await actions(`?object=${id}&from=2100-01-01T00:00:00Z`), []);
  assert.deepEqual(await actions(`?object=${id}&to=2000-01-01T00:00:00Z`), []);
  const actor = (await read(`?object=${id}`)).Items[0]?.Actor ?? '';
  assert.equal((await actions(`?object=${id}&actor=${actor}`)).length, 2);
  assert.deepEqual(await actions(`?object=${id}&actor=token:other`), []);
  assert.deepEqual(await actions(`?object=${id}&by=devices`), []);
  assert.equal((await actions(`?object=${id}&by=people`)).length, 2);
  for (const wrong of ['by=me', 'from=yesterday', 'outcome=maybe', 'limit=501', 'before=x', 'person=me'])
    assert.equal((await service.call('GET', `/v1/audit?${wrong}`)).status, 400, wrong);
});

test('pages hold each entry once, also while entries are added', async () => {
  for (let count = 0; count < 5; count++) await device(`page-${count}`);
  const all = (await read('?limit=500')).Items.map(({ Id }) => Id);
  const paged: string[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const { Items, Next } = await read(`?limit=2&before=${next}`);
    paged.push(...Items.map(({ Id }) => Id));
    await device('meanwhile');
    next = Next || undefined;
  }
  assert.deepEqual(paged, all);
});

test('sign-ins and refused tokens are in it', async () => {
  await fetch(new URL('/v1/account', service.url), { headers: { Authorization: 'Bearer mut_wrong' } });
  await fetch(new URL('/auth/session', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Token: 'mut_wrong' }),
  });
  const refused = new Set(await actions('?outcome=refused'));
  assert.ok(refused.has('token.use') && refused.has('session.open'), [...refused].join(' '));
});

test('the CSV has all entries that meet the conditions', async () => {
  const id = await device('in a file');
  const response = await service.call('GET', `/v1/audit.csv?object=${id}`);
  assert.equal(response.headers.get('Content-Type'), 'text/csv; charset=utf-8');
  const [head, first, ...rest] = (await response.text()).split('\r\n');
  assert.equal(head, 'Id,Time,Actor,Address,Action,Object,Outcome,Hash');
  assert.match(first ?? '', new RegExp(`,device.create,${id},done,[0-9a-f]{64}$`));
  assert.deepEqual(rest, ['']);
});

test('in the CSV no name is a formula, and what cannot be searched for is refused before it begins', async () => {
  await service.call('PUT', `/v1/rules/${encodeURIComponent('=1+1')}`, { Rules: [] });
  const lines = (await (await service.call('GET', '/v1/audit.csv?action=rules.save')).text()).split('\r\n');
  assert.match(lines[1] ?? '', /,rules\.save,'=1\+1,done,/);
  // SQLite stores such a text.
  if (onPostgres) assert.equal((await service.call('GET', '/v1/audit.csv?object=%00')).status, 400);
});

/** The triggers that refuse changes are in the way of tests that change something all the same. */
async function unguarded(db: Database, change: (tx: Tx) => Promise<unknown>): Promise<void> {
  const guards = ['audit_is_not_edited', 'audit_is_not_cut'];
  await db.write(async (tx) => {
    if (onPostgres) await tx.run('ALTER TABLE audit DISABLE TRIGGER USER');
    else for (const guard of guards) await tx.run(`DROP TRIGGER IF EXISTS ${guard}`);
    await change(tx);
  });
}

test('entries get their hash by themselves, though nobody reads the log', async () => {
  const { db } = service.context;
  await device('hashed');
  await until('the hash of the newest entry', async () => {
    const behind = await db.get(
      'SELECT 1 FROM audit WHERE seq > (SELECT coalesce(max(audit_seq), 0) FROM audit_hashes)',
    );
    return behind === undefined;
  });
});

test('a change, a removal and an addition in the past are found', async () => {
  const own = await startTestService();
  const { db } = own.context;
  const fleet = testFleet((...request) => own.call(...request));
  for (let count = 0; count < 4; count++) await fleet.device();
  await hashAudit(db);
  const good = await verifyAudit(db);
  assert.equal(good.fault, undefined);
  assert.ok(good.entries >= 4);
  assert.equal((await verifyAudit(db, good.last)).found, true);
  assert.equal((await verifyAudit(db, '0'.repeat(64))).found, false);

  const [{ seq }] = (await db.all<{ seq: number }>('SELECT seq FROM audit ORDER BY seq DESC LIMIT 1 OFFSET 2')) as [
    { seq: number },
  ];
  await unguarded(db, (tx) => tx.run("UPDATE audit SET actor = 'token:other' WHERE seq = ?", seq));
  assert.match((await verifyAudit(db)).fault ?? '', new RegExp(`^Entry ${seq} does not match`));
  await unguarded(db, (tx) => tx.run('DELETE FROM audit WHERE seq = ?', seq));
  assert.match((await verifyAudit(db)).fault ?? '', new RegExp(`^Entry ${seq + 1} does not match`));
  await unguarded(db, (tx) => tx.run('DELETE FROM audit WHERE seq >= ?', seq));
  assert.match((await verifyAudit(db)).fault ?? '', /was removed: its hash is still there/);
  await unguarded(db, (tx) => tx.run('DELETE FROM audit_hashes WHERE audit_seq >= ?', seq));
  const cut = await verifyAudit(db, good.last);
  assert.deepEqual([cut.fault, cut.found], [undefined, false]);
  await own.end();
});

test('a download is in it once, however often it was interrupted', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({
    type: 'script',
    version: '1',
    size: '18',
    destination: '/tmp/x',
    command: 'sh x.sh',
  }))
    form.set(name, value);
  form.set('file', new Blob(['#!/bin/sh\necho yes\n']), 'x.sh');
  assert.equal((await service.call('POST', '/v1/artifact', form)).status, 200);
  const [artifact] = (await (await service.call('GET', '/v1/artifact')).json()) as {
    ArtifactId: string;
    Command: string;
  }[];
  const link = /http[^\s'"]+\/download\/[^\s'"]+/.exec(artifact?.Command ?? '')?.[0] ?? '';
  await (await fetch(link, { headers: { Range: 'bytes=0-9' } })).text();
  await (await fetch(link, { headers: { Range: 'bytes=10-' } })).text();
  const { Items } = await until('the download', async () => {
    const found = await read(`?object=${artifact?.ArtifactId}&action=artifact.download`);
    return found.Items.length > 0 && found;
  });
  assert.deepEqual(
    Items.map(({ Actor, ObjectName }) => [Actor, ObjectName]),
    [['download link', 'x.sh']],
  );
});

test('an entry of a workflow, a rollout or a note has the present name of what it is about', async () => {
  const fleet = testFleet((...asked) => service.call(...asked));
  const { id } = await fleet.device('hall', 'noted');
  const WorkflowId = await fleet.workflow('true');
  await service.call('POST', `/v1/device/${id}/notes`, { Text: 'leaks' });
  const rollout = { Name: 'myapp 2', DeviceGroup: 'hall', WorkflowId, Waves: [{ Percent: 100 }], Advance: 'auto' };
  const gate = { Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 }, PauseAfter: { FailedCount: 0 } };
  assert.equal((await service.call('POST', '/v1/rollout', { ...rollout, ...gate })).status, 200);
  const names = async (action: string) => (await read(`?action=${action}`)).Items.map(({ ObjectName }) => ObjectName);
  assert.deepEqual(await names('workflow.create'), ['w']);
  assert.deepEqual(await names('rollout.create'), ['myapp 2']);
  assert.deepEqual(await names('note.create'), ['noted']);
});
