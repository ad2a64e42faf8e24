// The audit log over real HTTP: filters, pages, CSV, what is in it, and the chain of hashes that shows a change.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { AuditEntry, Origin } from '#/contract/audit.ts';
import { noteWitness, openHashLog, witnessFile } from '../audit-witness.ts';
import { hashAudit, verifyAudit } from '../store/audit-log.ts';
import type { Database, Tx } from '../store/database.ts';
import { onPostgres } from '../store/test-database.ts';
import { TestProcess, until } from '../../scripts/test-process.ts';
import { createToken } from '../store/tokens.ts';
import { testFleet } from '../test-fleet.ts';
import { limitedCaller } from '../test-limited.ts';
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

test('entries are found by a part of the present name of what they are about, or by its id', async () => {
  const id = await device('Förderband 12');
  await service.call('POST', '/v1/account/tokens', { Name: 'Conveyor bot' });
  const about = (text: string) => actions(`?about=${encodeURIComponent(text)}`);
  assert.deepEqual(await about('förderBAND'), ['device.create']);
  assert.deepEqual(await about(id), ['device.create']);
  assert.deepEqual(await about('conveyor'), ['token.create']);
  await service.call('PATCH', `/v1/devices/${id}`, { DeviceName: 'Crane' });
  assert.deepEqual(await about('crane'), ['device.update', 'device.create']);
  assert.deepEqual(await about('förderband'), []);
  const csv = await (await service.call('GET', '/v1/audit.csv?about=crane&action=device.update')).text();
  assert.equal(csv.trim().split('\n').length, 2);
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
  assert.equal(head, 'Id,Time,Actor,Address,Action,Object,Outcome,Hash,BulkId,ActorName,ObjectName');
  assert.match(first ?? '', new RegExp(`,device.create,${id},done,[0-9a-f]{64},,[^,]+,in a file$`));
  assert.deepEqual(rest, ['']);
});

test('an entry about a tunnel names its device, whoever opened or closed it', async () => {
  const id = await device('behind a tunnel');
  const about = async (actor: string, action: 'tunnel.open' | 'tunnel.end', target: string) => {
    const caller = { account: { id: 1, email: '' }, actor, address: '' };
    await service.context.db.write((tx) => service.context.audit.record(tx, caller, action, target));
  };
  await about('operator', 'tunnel.open', `web ${id}`);
  await about(`device:${id}`, 'tunnel.end', 'web');
  const named = async (query: string) =>
    (await read(query)).Items.map(({ Object: target, ObjectName }) => [target, ObjectName]);
  assert.deepEqual(await named('?action=tunnel'), [
    ['web', 'behind a tunnel'],
    [`web ${id}`, 'behind a tunnel'],
  ]);
  const csv = await (await service.call('GET', '/v1/audit.csv?action=tunnel.end')).text();
  assert.match(csv.split('\r\n')[1] ?? '', /,tunnel\.end,web,done,\w*,,behind a tunnel,behind a tunnel$/);
});

test('in the CSV no name is a formula, and what cannot be searched for is refused before it begins', async () => {
  await service.call('PUT', `/v1/rules/${encodeURIComponent('=1+1')}`, { Rules: [] });
  const lines = (await (await service.call('GET', '/v1/audit.csv?action=rules.save')).text()).split('\r\n');
  assert.match(lines[1] ?? '', /,rules\.save,'=1\+1,done,/);
  await device('=2+2');
  const [, own] = (await (await service.call('GET', '/v1/audit.csv?about=%3D2%2B2')).text()).split('\r\n');
  assert.match(own ?? '', /,'=2\+2$/);
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
  assert.equal((await verifyAudit(db, { expected: good.last })).found, true);
  assert.equal((await verifyAudit(db, { expected: '0'.repeat(64) })).found, false);

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
  const cut = await verifyAudit(db, { expected: good.last });
  assert.match(cut.fault ?? '', /its end was removed/);
  assert.equal(cut.found, false);
  await own.end();
});

/** A service with some hashed entries, and the outcome of the program beside it. */
async function startHashed(context: TestContext) {
  const own = await startTestService();
  context.after(() => own.end());
  const fleet = testFleet((...request) => own.call(...request));
  for (let count = 0; count < 3; count++) await fleet.device();
  await hashAudit(own.context.db);
  return { own, db: own.context.db, fleet };
}
async function verify({ dataDir, context }: TestService, ...args: string[]) {
  const { config } = context;
  const program = new TestProcess(['server/audit.ts', 'verify', ...args], {
    env: {
      DATA_DIR: dataDir,
      ...(config.databaseUrl && {
        DATABASE_URL: config.databaseUrl.href,
        ...(config.clusterSecret !== undefined && { CLUSTER_SECRET: config.clusterSecret }),
      }),
    },
  });
  const code = await program.ended;
  assert.doesNotMatch(program.printed, /^ +at /m, 'no stack trace');
  return { code, said: program.printed };
}

test('a forged log does not pass when its hashes and its list of objects are emptied', async (context) => {
  const { own, db, fleet } = await startHashed(context);
  assert.equal((await verify(own)).code, 0);
  await unguarded(db, async (tx) => {
    await tx.run("UPDATE audit SET actor = 'token:other'");
    await tx.run('DELETE FROM audit_hashes');
    await tx.run('DELETE FROM audit_objects');
  });
  for (const when of ['at once', 'after more was written']) {
    const { code, said } = await verify(own);
    assert.equal(code, 1, when);
    assert.match(said, /^Entry 1 has no hash/m, when);
    await fleet.device();
    await hashAudit(db);
  }
});

test('hashes that alone were emptied are a sentence and no stack trace', async (context) => {
  const { own, db } = await startHashed(context);
  await unguarded(db, (tx) => tx.run('DELETE FROM audit_hashes'));
  const { code, said } = await verify(own);
  assert.equal(code, 1);
  assert.match(said, /^Entry 1 has no hash/m);
});

test('a list of objects with a row too few or too many does not pass', async (context) => {
  const { db } = await startHashed(context);
  const { object } = (await db.get<{ object: string }>('SELECT object FROM audit_objects LIMIT 1'))!;
  await db.write((tx) => tx.run("INSERT INTO audit_objects (object, audit_seq) VALUES ('another', 1)"));
  assert.match((await verifyAudit(db)).fault ?? '', /not about the object/);
  await db.write((tx) => tx.run('DELETE FROM audit_objects WHERE object = ?', object));
  assert.match((await verifyAudit(db)).fault ?? '', /missing from the list/);
});

test('whatever of the log is damaged, the program says so and ends with 1', async (context) => {
  const { own, db } = await startHashed(context);
  await db.write((tx) => tx.run("UPDATE settings SET value = 'x' WHERE key = 'audit_mark'"));
  assert.match((await verify(own)).said, /audit_mark/);
  await db.write((tx) => tx.run('DROP TABLE audit_hashes'));
  const { code, said } = await verify(own);
  assert.equal(code, 1);
  assert.match(said, /^The audit log could not be verified: .*audit_hashes/m);
});

test('an end that was cut off with its hashes and the mark shows by the file and by a noted hash', async (context) => {
  const { own, db, fleet } = await startHashed(context);
  await noteWitness(db, own.dataDir);
  const { last } = await verifyAudit(db);
  const witness = readFileSync(witnessFile(own.dataDir), 'utf8');
  assert.match(witness, new RegExp(`^[0-9]+ ${last}\n$`));
  assert.equal((await verify(own, last)).code, 0);
  await unguarded(db, async (tx) => {
    await tx.run('DELETE FROM audit WHERE seq >= 3');
    await tx.run('DELETE FROM audit_hashes WHERE audit_seq >= 3');
    await tx.run('DELETE FROM audit_objects WHERE audit_seq >= 3');
    await tx.run(
      "UPDATE settings SET value = (SELECT '2 ' || hash FROM audit_hashes WHERE audit_seq = 2) WHERE key = 'audit_mark'",
    );
  });
  const cut = await verify(own, last);
  assert.equal(cut.code, 1);
  assert.match(cut.said, /does not hold entry \d+ as it is noted in/);
  assert.match(cut.said, /The given hash is not in the log/);
  await fleet.device();
  await hashAudit(db);
  assert.equal(await noteWitness(db, own.dataDir), false);
  assert.equal(readFileSync(witnessFile(own.dataDir), 'utf8'), witness, 'the evidence stays');
});

test('the last hash is logged once an hour', async (context) => {
  const { db } = await startHashed(context);
  const { last } = await verifyAudit(db);
  let elapsed = 0;
  context.mock.method(performance, 'now', () => elapsed);
  const said = context.mock.method(console, 'log', () => {});
  const logHash = openHashLog(db);
  const lines = () => said.mock.calls.filter(({ arguments: [line] }) => String(line).startsWith('audit log ')).length;
  await logHash();
  assert.match(String(said.mock.calls.at(-1)?.arguments[0]), new RegExp(`^audit log entry=\\d+ hash=${last}$`));
  elapsed += 3_599_000;
  await logHash();
  assert.equal(lines(), 1);
  elapsed += 1_000;
  await logHash();
  assert.equal(lines(), 2);
  context.mock.restoreAll();
});

test('a download is in it once, wherever it begins and however often it was interrupted', async () => {
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
  for (const range of ['bytes=1-4', 'bytes=5-', 'bytes=-3'])
    assert.equal((await (await fetch(link, { headers: { Range: range } })).text()).length > 0, true, range);
  const { Items } = await until('the download', async () => {
    const found = await read(`?object=${artifact?.ArtifactId}&action=artifact.download`);
    return found.Items.length > 0 && found;
  });
  assert.deepEqual(
    Items.map(({ Actor, ObjectName }) => [Actor, ObjectName]),
    [['download link', 'x.sh']],
  );
  // From its first byte on it is another one.
  await (await fetch(link)).text();
  await until('the second download', async () => {
    const found = await read(`?object=${artifact?.ArtifactId}&action=artifact.download`);
    return found.Items.length === 2;
  });
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

const originOf = async (object: string) => {
  const response = await service.call('GET', `/v1/audit/origin?object=${encodeURIComponent(object)}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Origin;
};

/** Calls of a person, through a token of theirs. */
async function callsOf(name: string) {
  const { secret } = await service.context.db.write(async (tx) => {
    await tx.run(
      `INSERT INTO people (id, account_id, email, email_folded, name, role, state, role_source, created)
       VALUES (?1, 1, ?2, ?2, ?1, 'Admin', 'Active', 'operator', 0)`,
      name,
      `${name.toLowerCase()}@example.com`,
    );
    const made = await createToken(tx, 1, 'laptop', Date.now());
    await tx.run('UPDATE tokens SET person_id = ? WHERE id = ?', name, made.id);
    return made;
  });
  const headers = { Authorization: `Bearer ${secret}` };
  return (method: string, path: string, body?: unknown) => service.call(method, path, body, headers);
}

test('the origin of an object is who created it and who changed it last', async () => {
  const asAda = await callsOf('Ada');
  const { id } = await testFleet(asAda).device('', 'origin');
  const made = await originOf(id);
  assert.deepEqual([made.Created?.Actor, made.Created?.ActorName], ['person:Ada', 'Ada']);
  assert.ok(!Number.isNaN(Date.parse(made.Created?.Time ?? '')));
  assert.equal(made.Changed, undefined);

  await asAda('PATCH', `/v1/devices/${id}`, { CustomerName: 'a' });
  await service.call('PATCH', `/v1/devices/${id}`, { CustomerName: 'b' });
  // A note is about the device and no change of it.
  await asAda('POST', `/v1/device/${id}/notes`, { Text: 'leaks' });
  const changed = await originOf(id);
  assert.deepEqual(changed.Created, made.Created);
  assert.deepEqual([changed.Changed?.Action, changed.Changed?.ActorName], ['device.update', 'AUTH_TOKEN']);
  assert.match(changed.Changed?.Actor ?? '', /^token:/);

  const removed = 'UPDATE people SET state = ?, email = ? WHERE id = ?';
  await service.context.db.write((tx) => tx.run(removed, 'Removed', '', 'Ada'));
  assert.equal((await originOf(id)).Created?.ActorName, 'Ada', 'removed people keep their name');
});

test('jobs, rollouts and artifacts have an origin; a retry changes the old job and creates the new one', async () => {
  const fleet = testFleet(await callsOf('Grace'));
  const target = await fleet.device('origins', 'target');
  const ArtifactId = await fleet.artifact('origin.sh', '1');
  const JobId = await fleet.submit({ DeviceId: target.id, ArtifactId });
  await service.call('POST', `/v1/job/${JobId}/stop`);
  const RetryOf = await fleet.submit({ RetryOf: JobId, DeviceIds: [target.id], ArtifactId });
  for (const object of [ArtifactId, JobId, RetryOf])
    assert.equal((await originOf(object)).Created?.ActorName, 'Grace', object);
  assert.equal((await originOf(JobId)).Changed?.Action, 'job.retry');
  assert.notEqual(RetryOf, JobId);
  assert.equal((await originOf(RetryOf)).Changed, undefined);
});

test('what devices did to an object is no change, however often they did it', async () => {
  const { db } = service.context;
  const artifact = await testFleet((...request) => service.call(...request)).artifact('popular.sh', '1');
  await db.write(async (tx) => {
    for (const [actor, action] of [
      ['device:d1', 'artifact.download'],
      ['download link', 'artifact.download'],
      ['device:d1', 'device.update'],
    ] as const)
      for (let count = 0; count < 60; count++)
        await tx.run(
          "INSERT INTO audit (at, account_id, actor, address, action, target, outcome) VALUES (1, 1, ?, '', ?, ?, 'done')",
          actor,
          action,
          artifact,
        );
  });
  const { Created, Changed } = await originOf(artifact);
  assert.equal(Created?.ActorName, 'AUTH_TOKEN');
  assert.equal(Changed, undefined);
});

test('an object that the log does not have, or that is in another account, has no origin', async () => {
  assert.deepEqual(await originOf('nothing'), {});
  const id = await device('of account 1');
  const { secret } = await service.context.db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 9, 9, 0)");
    return createToken(tx, 2, 'other', Date.now());
  });
  const headers = { Authorization: `Bearer ${secret}` };
  const response = await service.call('GET', `/v1/audit/origin?object=${id}`, undefined, headers);
  assert.deepEqual(await response.json(), {});
  assert.equal((await service.call('GET', '/v1/audit/origin')).status, 400);
});

test('a role that is limited to groups is told the origin only of what lies in them', async () => {
  const fleet = testFleet((...request) => service.call(...request));
  const [inside, outside] = [await fleet.device('hall', 'inside'), await fleet.device('yard', 'outside')];
  const path = (id: string) => `/v1/audit/origin?object=${id}`;
  const kept = await limitedCaller(service, { role: 'Viewer', groups: ['hall'] }, ['AUTH_TOKEN']);
  assert.deepEqual(await kept.json('GET', path(outside.id)), {});
  const told = await limitedCaller(service, { role: 'Viewer', groups: ['hall'] }, []);
  assert.equal((await told.json<Origin>('GET', path(inside.id))).Created?.ActorName, 'AUTH_TOKEN');
});

test('an object that was removed is found by the name that it had, and keeps it', async () => {
  const fleet = testFleet((...request) => service.call(...request));
  const { id } = await fleet.device('', 'Old Mixer');
  const WorkflowId = await fleet.workflow('true');
  const JobId = await fleet.submit({ DeviceId: id, WorkflowId, Name: 'Stir the mixer' });
  await service.call('POST', `/v1/job/${JobId}/stop`);
  assert.equal((await service.call('DELETE', `/v1/job/${JobId}`)).status, 200);
  assert.equal((await service.call('DELETE', `/v1/devices/${id}`)).status, 200);
  const about = async (text: string) =>
    (await read(`?about=${encodeURIComponent(text)}`)).Items.map(({ Action, ObjectName }) => [Action, ObjectName]);
  assert.deepEqual(await about('old mixer'), [
    ['device.remove', 'Old Mixer'],
    ['device.create', 'Old Mixer'],
  ]);
  assert.deepEqual(await about('STIR'), [
    ['job.remove', 'Stir the mixer'],
    ['job.stop', 'Stir the mixer'],
    ['job.submit', 'Stir the mixer'],
  ]);
});

test('another account finds nothing by the name of a device that was removed here', async () => {
  const id = await device('Secret Kiln');
  await service.call('DELETE', `/v1/devices/${id}`);
  const { secret } = await service.context.db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (3, 'c@x', 9, 9, 0)");
    return createToken(tx, 3, 'other', Date.now());
  });
  const response = await service.call('GET', '/v1/audit?about=kiln', undefined, { Authorization: `Bearer ${secret}` });
  assert.deepEqual(((await response.json()) as { Items: AuditEntry[] }).Items, []);
});
