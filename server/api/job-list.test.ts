// The list of jobs by cursor, and the whole list as a stream.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CAPABILITIES } from '#/contract/account.ts';
import type { Job } from '#/contract/jobs.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

interface Page {
  Items: Job[];
  Next: string;
  Version: string;
  Total?: number;
  Reset?: boolean;
  Removed?: string[];
}
const read = async <T = Page>(path: string): Promise<T> => {
  const response = await service.call('GET', path);
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
};
const named = (rows: Job[]) => rows.map(({ JobName }) => JobName);

test('pages are read by cursor, and each condition narrows them', async () => {
  const { id: one, key } = await fleet.device('lab', 'one');
  const { id: other } = await fleet.device('lab', 'two');
  const WorkflowId = await fleet.workflow('true');
  const submit = (Name: string, target: object) => fleet.submit({ Name, WorkflowId, ...target });
  const first = await submit('Update pumps', { DeviceId: one });
  await submit('Reboot', { DeviceId: other });
  await submit('update all', { DeviceGroup: 'lab' });

  const page = await read('/v1/jobs?limit=2');
  assert.deepEqual([named(page.Items), page.Total], [['update all', 'Reboot'], 3]);
  const rest = await read(`/v1/jobs?limit=2&before=${page.Next}`);
  assert.deepEqual([named(rest.Items), rest.Next, rest.Total], [['Update pumps'], '', undefined]);
  // The same rows as in the whole list.
  assert.deepEqual([...page.Items, ...rest.Items], (await read<Job[]>('/v1/job')).toReversed());

  const found = async (query: string) => named((await read(`/v1/jobs?${query}`)).Items);
  assert.deepEqual(await found('name=UPDATE'), ['update all', 'Update pumps']);
  assert.deepEqual(await found(`name=${first}`), ['Update pumps']);
  assert.deepEqual(await found(`target=device:${one}`), ['update all', 'Update pumps']);
  assert.deepEqual(await found('target=group:lab'), ['update all']);
  assert.deepEqual(await found('target=device:nobody'), []);
  assert.deepEqual(await found('status=Failed'), []);
  assert.deepEqual(await found('status=Waiting&name=pumps'), ['Update pumps']);
  assert.deepEqual(await found('active=2100-01-01T00:00:00.000Z&status=Waiting'), [
    'update all',
    'Reboot',
    'Update pumps',
  ]);

  // One device of the group has failed: the job is found by that, and as one that still waits for the other.
  const agent = await FakeAgent.connect(service.url, key);
  for (const exit of [0, 1]) agent.finish((await agent.receive('run')).job, exit, '');
  await fleet.ended(first);
  await until('the failure', async () => (await found('status=Failed'))[0] === 'update all');
  agent.socket.close();
  assert.deepEqual(await found('status=Waiting'), ['update all', 'Reboot']);
  assert.deepEqual(await found('status=Succeeded'), ['Update pumps']);
  assert.deepEqual(await found('status=Succeeded,Failed'), ['update all', 'Update pumps']);

  const since = (version: string) => read(`/v1/jobs?since=${version}`);
  const changed = await since(page.Version);
  assert.deepEqual([changed.Reset, named(changed.Items).toSorted()], [false, ['Update pumps', 'update all']]);
  await fleet.remove(first);
  const removed = await since(changed.Version);
  assert.deepEqual([removed.Items, removed.Removed], [[], [first]]);
  const { Version: _, ...reset } = await since('another-1');
  assert.deepEqual(reset, { Reset: true, Next: '', Removed: [], Items: [] });
});

test('a condition that cannot be meant is refused', async () => {
  for (const query of ['status=Broken', 'target=house:1', 'active=soon', 'archived=maybe', 'before=x', 'limit=501'])
    assert.equal((await service.call('GET', `/v1/jobs?${query}`)).status, 400, query);
});

test('archived jobs are listed on request only', async () => {
  const { id, key } = await fleet.device('', 'archived');
  const agent = await FakeAgent.connect(service.url, key);
  const job = await fleet.run('true', { DeviceId: id });
  agent.finish((await agent.receive('run')).job, 0, '');
  await fleet.ended(job);
  agent.socket.close();
  await service.call('POST', '/v1/bulk', { Action: 'archive', Jobs: [job] });
  const ids = async (query: string) => (await read(`/v1/jobs?${query}`)).Items.map(({ JobId }) => JobId);
  await until('the archive', async () => (await ids('archived=yes'))[0] === job);
  assert.ok(!(await ids('')).includes(job));
  assert.deepEqual(await ids('archived=yes&status=Failed'), []);
});

test('the whole list is sent as it is read, and unchanged it is not sent again', async () => {
  const { db } = service.context;
  await db.write((tx) =>
    tx.run(
      `INSERT INTO jobs (id, account_id, device_seq, device_id, name, status, created, ended)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       SELECT 'many-' || i, 1, 1, 'd', 'many', 'Succeeded', 1, 1 FROM n`,
    ),
  );
  const response = await service.call('GET', '/v1/job');
  assert.equal(response.headers.get('Content-Length'), null);
  const rows = (await response.json()) as Job[];
  assert.equal(rows.filter(({ JobName }) => JobName === 'many').length, 2500);
  assert.equal(new Set(rows.map(({ JobId }) => JobId)).size, rows.length);
  const known = { 'If-None-Match': response.headers.get('ETag') ?? '' };
  assert.equal((await service.call('GET', '/v1/job', undefined, known)).status, 304);
});

test('the account names what is offered, in the words of the contract', async () => {
  const { Capabilities } = await read<{ Capabilities: string[] }>('/v1/account');
  assert.deepEqual(
    Capabilities.filter((name) => !CAPABILITIES.some((known) => known === name)),
    [],
  );
  assert.ok(Capabilities.includes('jobs'));
});
