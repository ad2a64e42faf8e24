// A second account of the same service: nothing of the first is there for it, whichever endpoint it asks. Endpoints with
// the id of an object in their path are taken from the contract, so that a new one is tested without being named here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Endpoint } from '#/contract/endpoint.ts';
import type { Operations } from '#/contract/resource.ts';
import { until } from '../../scripts/test-process.ts';
import { API } from '../http/api-groups.ts';
import { addAccount } from '../store/accounts.ts';
import { createToken } from '../store/tokens.ts';
import { FakeAgent } from '../test-agents.ts';
import { testBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let agent: FakeAgent;
let secret: string;
/** Objects of the first account, by the names that they have in paths. */
const ids: Record<string, string> = {};

const call = (method: string, path: string, body?: unknown) => service.call(method, path, body);
const asOther = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, path, body, { ...headers, Authorization: `Bearer ${secret}` });
async function made<Key extends string>(key: Key, method: string, path: string, body: object): Promise<string> {
  const response = await call(method, path, body);
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return (JSON.parse(text) as Record<Key, string>)[key];
}
const first = async <Row>(path: string): Promise<Row> => {
  const [row] = (await (await call('GET', path)).json()) as Row[];
  assert.ok(row, path);
  return row;
};

const ROLLOUT = {
  Name: 'rollout',
  Waves: [{ Percent: 100 }],
  Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
  PauseAfter: { FailedCount: 0 },
  Advance: 'auto',
};
const RULE = { Name: 'rule', When: 'JobFailed', ForMinutes: 0, QuietMinutes: 0 };

before(async () => {
  // In a fresh clone none is built, and without one updates are refused to everybody.
  const options = { agentFile: join(import.meta.dirname, '../../agent/main.ts') };
  service = await startTestService({ ALERT_PRIVATE_TARGETS: '1' }, undefined, undefined, options);
  fleet = testFleet(call);
  const device = await fleet.device('hall', 'theirs');
  agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('welcome');
  agent.say({
    type: 'offers',
    run: 'run',
    offers: [{ id: 1, protocol: 'HTTP', dest: 'http://127.0.0.1:1' }],
  });
  await agent.receive('opened');
  ids['device_id'] = device.id;
  await call('POST', '/v1/tag/theirs');
  ids['tag_id'] = (await first<{ TagId: string }>('/v1/tag')).TagId;
  ids['workflow_id'] = await fleet.workflow('true');
  ids['artifact_id'] = await fleet.artifact('theirs.sh', '1.0');
  ids['job_id'] = await fleet.submit({ DeviceGroup: 'hall', WorkflowId: ids['workflow_id'] });
  const rollout = {
    ...ROLLOUT,
    DeviceGroup: 'hall',
    WorkflowId: ids['workflow_id'],
    StartTime: '2100-01-01T00:00:00Z',
  };
  ids['rollout_id'] = await made('RolloutId', 'POST', '/v1/rollout', rollout);
  ids['bulk_id'] = await made('BulkId', 'POST', '/v1/bulk', { Action: 'delete', Devices: ['nothing'] });
  await until('the bulk work to end', async () => {
    const bulk = (await (await call('GET', `/v1/bulk/${ids['bulk_id']}`)).json()) as { State: string };
    return bulk.State === 'Done';
  });
  const channel = { Name: 'hook', Kind: 'webhook', Url: 'http://127.0.0.1:9/theirs', Format: 'json' };
  ids['channel_id'] = await made('ChannelId', 'POST', '/v1/alerts/channels', channel);
  ids['rule_id'] = await made('RuleId', 'POST', '/v1/alerts/rules', { ...RULE, Channels: [ids['channel_id']] });
  ids['note_id'] = await made('NoteId', 'POST', `/v1/device/${device.id}/notes`, { Text: 'theirs' });
  ids['tunnel_id'] = (await first<{ Name: string }>('/v1/tunnels')).Name;
  ids['person_id'] = (await first<{ PersonId: string }>('/v1/people')).PersonId;
  ids['token_id'] = (await first<{ TokenId: string }>('/v1/account/tokens')).TokenId;
  await fetch(new URL('/auth/session', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Token: service.token }),
  });
  ids['session_id'] = (await first<{ SessionId: string }>('/v1/account/sessions')).SessionId;
  secret = await service.context.db.write(async (tx) => {
    const draft = { name: 'other', email: 'b@x', maxDevices: 9, artifactLimit: 9 };
    const account = await addAccount(tx, draft, Date.now());
    return (await createToken(tx, account, 'theirs', Date.now())).secret;
  });
});
after(async () => {
  await agent.end();
  await service.end();
});

/** What endpoints with a body need besides, by the end of their path. */
const BODIES: [end: RegExp, body: object][] = [
  [/devices\/location\/:device_id$/, { Lat: 1, Lng: 1 }],
  [/devices\/:device_id$/, { DeviceName: 'mine' }],
  [/notes$/, { Text: 'mine' }],
  [/people\/:person_id$/, { Name: 'mine' }],
  [/alerts\/rules\/:rule_id$/, { Name: 'mine' }],
  [/silence$/, { Until: new Date(Date.now() + 3_600_000).toISOString(), Reason: 'mine' }],
  [/downgrade-agent$/, { Sequence: 1 }],
  [/rollout\/:rollout_id\/skip$/, { Version: 1, DeviceIds: ['any'] }],
  [/rollout\/:rollout_id\/\w+$/, { Version: 1 }],
];

const endpoints: Endpoint[] = Object.values<Operations>(API).flatMap((operations) => Object.values(operations));
const named = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

test('no endpoint with the id of an object finds that of another account, and nothing of it changes', async () => {
  const owned = async () =>
    Promise.all(
      ['devices/1/9', 'tag', 'workflow', 'artifact', 'rollout', 'alerts/rules', 'alerts/channels', 'tunnels']
        .concat(['bulk', 'account/tokens', 'account/sessions', 'job', `device/${ids['device_id']}/timeline?kind=note`])
        .map(async (path) =>
          (await call('GET', `/v1/${path}`))
            .text()
            .then((text) => text.replaceAll(/"LastUsedTime":"[^"]*"|"Uptime":"[^"]*"/g, '')),
        ),
    );
  const present = await owned();
  const asked = new Set<string>();
  for (const { method, path, body } of endpoints) {
    const params = named(path);
    if (params.length === 0 || !params.every((name) => name in ids)) continue;
    for (const name of params) asked.add(name);
    const sent = body && BODIES.find(([end]) => end.test(path))?.[1];
    assert.ok(!body || sent, `BODIES has nothing for ${method} ${path}.`);
    const query = path.endsWith('/outputs') ? `?ids=${ids['job_id']}` : '';
    const to = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '') + query;
    const response = await asOther(method, to, sent, { 'If-Match': '*' });
    const text = await response.text();
    // The jobs of an artifact are a list, which is empty for whoever has no such artifact.
    if (path === '/v1/jobs/runs/:artifact_id' && response.status === 200) assert.equal(text, '[]');
    else assert.equal(response.status, 404, `${method} ${to}: ${text}`);
  }
  assert.deepEqual([...asked].toSorted(), Object.keys(ids).toSorted(), 'each kind of object has an endpoint');
  assert.deepEqual(await owned(), present);
});

test('no list and no file has anything of another account', async () => {
  const needed: Record<string, string> = {
    '/v1/history/devices': '?from=2000-01-01T00:00:00Z',
    '/v1/versions': '?artifact=theirs.sh',
    '/v1/jobs/latest': `?devices=${ids['device_id']}`,
    '/v1/audit/origin': `?object=${ids['device_id']}`,
  };
  for (const { method, path, events } of endpoints) {
    if (method !== 'GET' || events || named(path).some((name) => name !== 'page_num' && name !== 'rows_per_page'))
      continue;
    // A GET with a body, which fetch cannot send.
    if (path === '/v1/devices') continue;
    const to = path.replace(':page_num', '1').replace(':rows_per_page', '9') + (needed[path] ?? '');
    const response = await asOther(method, to);
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    assert.equal(response.status, 200, `${to}: ${text}`);
    for (const [name, id] of Object.entries(ids)) assert.ok(!text.includes(id), `${to} has a ${name}: ${text}`);
  }
});

test('what is made for devices, artifacts, workflows, tags and channels of another account is refused', async () => {
  const { device_id, artifact_id, workflow_id, tag_id, channel_id, job_id } = ids;
  const own = (await (await asOther('POST', '/v1/workflow', { Name: 'mine', Command: 'true' })).json()) as {
    WorkflowId: string;
  };
  const device = (await (await asOther('POST', '/v1/devices', { DeviceName: 'mine', DeviceGroup: 'hall' })).json()) as {
    DeviceId: string;
  };
  const refused = async (path: string, body: object, method = 'POST') => {
    const response = await asOther(method, path, body);
    const text = await response.text();
    assert.ok(
      response.status === 404 || response.status === 400,
      `${path} ${JSON.stringify(body)}: ${response.status} ${text}`,
    );
  };
  const { WorkflowId } = own;
  await refused('/v1/job', { Name: 'job', DeviceId: device_id, WorkflowId });
  await refused('/v1/job', { Name: 'job', TagId: tag_id, WorkflowId });
  await refused('/v1/job', { Name: 'job', DeviceIds: [device_id], WorkflowId });
  await refused('/v1/job', { Name: 'job', DeviceId: device.DeviceId, WorkflowId: workflow_id });
  await refused('/v1/job', { Name: 'job', DeviceId: device.DeviceId, ArtifactId: artifact_id });
  await refused('/v1/job', { Name: 'job', RetryOf: job_id, DeviceIds: [device_id] });
  await refused('/v1/rollout', { ...ROLLOUT, DeviceIds: [device_id], WorkflowId });
  await refused('/v1/rollout', { ...ROLLOUT, TagId: tag_id, WorkflowId });
  await refused('/v1/rollout', { ...ROLLOUT, DeviceGroup: 'hall', WorkflowId: workflow_id });
  await refused('/v1/orders/mine', { DeviceGroup: 'hall', ArtifactId: artifact_id }, 'PUT');
  await refused('/v1/alerts/rules', { ...RULE, Channels: [channel_id] });
  await refused('/v1/bulk', { Action: 'tag', Devices: [device.DeviceId], Values: { TagId: tag_id } });
  await refused(`/v1/devices/${device.DeviceId}/tag/${tag_id}`, {});
  // A group is a name: that of another account is another group.
  const job = (await (await asOther('POST', '/v1/job', { Name: 'job', DeviceGroup: 'hall', WorkflowId })).json()) as {
    JobId: string;
  };
  const children = (await (await asOther('GET', `/v1/job/${job.JobId}/childjobs`)).json()) as { DeviceId: string }[];
  assert.deepEqual(
    children.map(({ DeviceId }) => DeviceId),
    [device.DeviceId],
  );
});

test('bulk work does nothing to devices and jobs of another account', async () => {
  const bulk = testBulk(asOther);
  const { device_id, job_id } = ids;
  for (const draft of [
    { Action: 'edit', Devices: [device_id], Values: { DeviceName: 'mine' } },
    { Action: 'delete', Devices: [device_id] },
    { Action: 'stop', Jobs: [job_id] },
    { Action: 'delete', Jobs: [job_id] },
  ])
    assert.deepEqual(await bulk.outcomes(draft), ['Skipped It no longer exists'], JSON.stringify(draft));
  const keys = (await (await asOther('POST', '/v1/bulk', { Action: 'newKey', Devices: [device_id] })).json()) as {
    Keys: object[];
  };
  assert.deepEqual(keys.Keys, []);
  assert.equal(await fleet.status(device_id ?? ''), 'Online');
  assert.equal(agent.closed, undefined);
});
