// Every operation, tried by every role, without a limit and limited to one device group, on objects of that group, of
// another group and of another account. What must be refused follows from the rows of the contract, so that a new row
// without an example here fails, as does one whose handler forgets the caller's groups.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isPermitted, ROLES } from '#/contract/permissions.ts';
import type { Role } from '#/contract/permissions.ts';
import { permissionFor } from '#/contract/resource.ts';
import type { Operation, Operations } from '#/contract/resource.ts';
import { until } from '../../scripts/test-process.ts';
import { API } from '../http/api-groups.ts';
import { storeFacts } from '../store/facts.ts';
import { createPersonCode } from '../store/people.ts';
import { createToken } from '../store/tokens.ts';
import { openTunnel } from '../store/tunnels.ts';
import { FakeAgent } from '../test-agents.ts';
import { unpacked } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

// ---- Requests --------------------------------------------------------------------------------------------------------

interface Answer {
  status: number;
  /** The whole answer, headers included. */
  text: string;
  body: string;
}

let service: TestService;

/** Sends a request; unlike `fetch`, also a GET with a body. Of an endless answer only the beginning is read. */
async function ask(secret: string, method: string, path: string, body?: object, isEndless = false): Promise<Answer> {
  const encoded = body && new Response(body instanceof FormData ? body : JSON.stringify(body));
  const type = body instanceof FormData ? encoded?.headers.get('content-type') : 'application/json';
  const bytes = encoded && Buffer.from(await encoded.arrayBuffer());
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${secret}`,
      ...(bytes && { 'Content-Type': type ?? '', 'Content-Length': bytes.length }),
    };
    const sent = request(new URL(path, service.url), { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      const finish = () => {
        const bytesReceived = Buffer.concat(parts);
        const text = bytesReceived.toString('utf8');
        const { statusCode: status = 0, rawHeaders, headers: received } = answer;
        const files = received['content-type'] === 'application/zip' ? unpacked(bytesReceived) : '';
        resolve({ status, body: text, text: `${rawHeaders.join('\n')}\n${text}\n${files}` });
      };
      if (isEndless && answer.statusCode === 200) {
        finish();
        answer.destroy();
        return;
      }
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', finish)
        .on('error', reject);
    });
    sent.on('error', reject).end(bytes);
  });
}

async function made<T>(secret: string, method: string, path: string, body?: object): Promise<T> {
  const { status, body: text } = await ask(secret, method, path, body);
  assert.equal(status, 200, `${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

// ---- Objects ---------------------------------------------------------------------------------------------------------

/** Objects by the names that they have in paths; `name` is different for each resource. */
interface World {
  /** A token that may do everything in the account. */
  secret: string;
  accountId: number;
  group: string;
  /** Part of every name in this group or account, and of nothing else. */
  word: string;
  ids: Record<string, string>;
  order: string;
  view: string;
  artifactName: string;
}

let count = 0;
/** Ends in a letter, so that no name is the beginning of another. */
const newName = (word: string) => `${word}-${++count}x`;
const script = (name: string) => {
  const form = new FormData();
  const fields = { size: '1', version: '1.0', type: 'script', destination: '/', command: 'true' };
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new File(['#!/bin/sh\n'], name));
  return form;
};
const rollout = (word: string) => ({
  Name: newName(word),
  Waves: [{ Percent: 100 }],
  Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
  PauseAfter: { FailedCount: 0 },
  Advance: 'auto',
  StartTime: '2100-01-01T00:00:00Z',
});
const alertRule = { When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0 };

const makeEnrolmentKey = ({ secret, group, word }: Pick<World, 'secret' | 'group' | 'word'>) =>
  made<{ EnrolmentId: string; EnrolKey: string }>(secret, 'POST', '/v1/enrolment', {
    Name: newName(word),
    DeviceGroup: group,
    NeedsApproval: true,
  });
const machine = (EnrolKey: string, word: string) => ({
  EnrolKey,
  MachineId: `machine ${newName(word)}`,
  DeviceName: newName(word),
});

/** Makes an object of this kind in a world, and says its id. */
const MAKERS: Record<string, (world: World) => Promise<string>> = {
  device_id: async ({ secret, group, word }) => {
    const draft = { DeviceName: newName(word), DeviceGroup: group };
    const { DeviceId } = await made<{ DeviceId: string }>(secret, 'POST', '/v1/devices', draft);
    await made(secret, 'PATCH', `/v1/devices/${DeviceId}`, {
      CustomerSite: `${word} site`,
      CustomerName: `${word} ltd`,
    });
    await service.context.db.write(async (tx) => {
      const device = await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', DeviceId);
      const facts = [
        { name: 'rack', value: `${word} rack` },
        { name: word, value: '1' },
      ];
      await storeFacts(tx, device?.seq ?? 0, facts, Date.now());
    });
    return DeviceId;
  },
  job_id: async ({ secret, word, ids }) => {
    const draft = { Name: newName(word), DeviceIds: [ids['device_id']], ArtifactId: ids['artifact_id'] };
    return (await made<{ JobId: string }>(secret, 'POST', '/v1/job', draft)).JobId;
  },
  rollout_id: async ({ secret, word, group, ids }) => {
    const draft = { ...rollout(word), DeviceGroup: group, ArtifactId: ids['artifact_id'] };
    return (await made<{ RolloutId: string }>(secret, 'POST', '/v1/rollout', draft)).RolloutId;
  },
  bulk_id: async ({ secret, word, ids }) => {
    const draft = { Action: 'edit', Devices: [ids['device_id']], Values: { CustomerName: newName(word) } };
    return (await made<{ BulkId: string }>(secret, 'POST', '/v1/bulk', draft)).BulkId;
  },
  note_id: async ({ secret, word, ids }) =>
    (await made<{ NoteId: string }>(secret, 'POST', `/v1/device/${ids['device_id']}/notes`, { Text: newName(word) }))
      .NoteId,
  rule_id: async ({ secret, word, group, ids }) => {
    const draft = { ...alertRule, Name: newName(word), DeviceGroup: group, Channels: [ids['channel_id']] };
    return (await made<{ RuleId: string }>(secret, 'POST', '/v1/alerts/rules', draft)).RuleId;
  },
  tunnel_id: ({ accountId, word, ids }) =>
    service.context.db.write(async (tx) => {
      const device = await tx.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', ids['device_id'] ?? '');
      const localDest = `http://${newName(word)}:80`;
      const draft = { accountId, deviceSeq: device?.seq ?? 0, run: 'run', protocol: 'HTTP' as const, localDest };
      return (await openTunnel(tx, draft, Date.now())).name;
    }),
  // What an account shares has plain names, which every role may read.
  enrolment_id: async (world) => (await makeEnrolmentKey(world)).EnrolmentId,
  pending_id: async (world) => {
    const { EnrolKey } = await makeEnrolmentKey(world);
    const answer = await ask('', 'POST', '/v1/enrol', machine(EnrolKey, world.word));
    assert.equal(answer.status, 202, answer.body);
    return (JSON.parse(answer.body) as { PendingId: string }).PendingId;
  },
  tag_id: async ({ secret, accountId }) => {
    const name = newName(`tag-${accountId}`);
    await made(secret, 'POST', `/v1/tag/${name}`);
    const tags = await made<{ TagId: string; TagName: string }[]>(secret, 'GET', '/v1/tag');
    return tags.find(({ TagName }) => TagName === name)?.TagId ?? '';
  },
  artifact_id: async ({ secret }) =>
    (await made<{ ArtifactId: string }>(secret, 'POST', '/v1/artifact', script(`${newName('shared')}.sh`))).ArtifactId,
  workflow_id: async ({ secret }) => {
    const draft = { Name: newName('shared'), Command: 'true' };
    return (await made<{ WorkflowId: string }>(secret, 'POST', '/v1/workflow', draft)).WorkflowId;
  },
  channel_id: async ({ secret }) => {
    const draft = { Name: newName('shared'), Kind: 'webhook', Url: 'http://127.0.0.1:9/', Format: 'json' };
    return (await made<{ ChannelId: string }>(secret, 'POST', '/v1/alerts/channels', draft)).ChannelId;
  },
  person_id: async ({ accountId }) => {
    const id = newName('person');
    await service.context.db.write(async (tx) => {
      await tx.run(
        `INSERT INTO people (id, account_id, email, email_folded, name, role, state, role_source, created)
         VALUES (?1, ?2, ?3, ?3, ?1, 'Viewer', 'Invited', 'operator', 0)`,
        id,
        accountId,
        `${id}@example.com`,
      );
      await createPersonCode(tx, id, 'invite', Date.now());
    });
    return id;
  },
  token_id: ({ accountId }) =>
    service.context.db.write(async (tx) => (await createToken(tx, accountId, newName('token'), Date.now())).id),
  session_id: async ({ accountId }) => {
    const id = newName('session');
    await service.context.db.write((tx) =>
      tx.run(
        `INSERT INTO sessions (id, hash, account_id, created, last_used, rotated) VALUES (?1, ?2, ?3, ?4, ?4, ?4)`,
        id,
        Buffer.from(id),
        accountId,
        Date.now(),
      ),
    );
    return id;
  },
};
/** Objects that belong to a device group: for a role limited to others, they do not exist. */
const OF_GROUPS = [
  'device_id',
  'job_id',
  'rollout_id',
  'bulk_id',
  'note_id',
  'rule_id',
  'tunnel_id',
  'enrolment_id',
  'pending_id',
];

async function makeOrder({ secret, word, group, ids }: World): Promise<string> {
  const name = newName(word);
  await made(secret, 'PUT', `/v1/orders/${name}`, { DeviceGroup: group, ArtifactId: ids['artifact_id'] });
  return name;
}

async function makeView({ secret }: World): Promise<string> {
  const name = newName('shared');
  await made(secret, 'PUT', `/v1/views/${name}`, { Query: '', Private: false });
  return name;
}

/** `shared` has ids of what its account shares. */
async function makeWorld(
  base: Pick<World, 'secret' | 'accountId' | 'group' | 'word'>,
  shared: Record<string, string> = {},
): Promise<World> {
  const world: World = { ...base, ids: { ...shared }, order: '', view: '', artifactName: newName('shared') };
  const kinds = Object.keys(MAKERS);
  for (const kind of [...kinds.filter((each) => !OF_GROUPS.includes(each)), ...OF_GROUPS])
    world.ids[kind] ??= (await MAKERS[kind]?.(world)) ?? '';
  await made(base.secret, 'POST', `/v1/devices/location/${world.ids['device_id']}`, { Lat: 1, Lng: 1 });
  await made(base.secret, 'POST', `/v1/devices/${world.ids['device_id']}/tag/${world.ids['tag_id']}`);
  world.order = await makeOrder(world);
  world.view = await makeView(world);
  return world;
}

// ---- Examples --------------------------------------------------------------------------------------------------------

interface Example {
  query?: (world: World) => string;
  body?: (world: World) => object;
  /** What becomes of a query or body with objects outside the caller's groups; their names may be in it. */
  outside?: 'refused' | 'nothing';
  /** It names nothing that is there, as a search for other groups does. */
  isMiss?: true;
}

const plain: Example[] = [{}];
const step: Example[] = [{ body: () => ({ Version: 1 }) }];
const withBody = (body: (world: World) => object): Example[] => [{ body }];
const jobs: Example[] = [
  {
    body: ({ ids }) => ({ Name: 'job', DeviceId: ids['device_id'], ArtifactId: ids['artifact_id'] }),
    outside: 'refused',
  },
  {
    body: ({ ids }) => ({ Name: 'job', DeviceIds: [ids['device_id']], ArtifactId: ids['artifact_id'] }),
    outside: 'refused',
  },
  {
    body: ({ ids, group }) => ({ Name: 'job', DeviceGroup: group, ArtifactId: ids['artifact_id'] }),
    outside: 'refused',
  },
  {
    body: ({ ids }) => ({
      Name: 'job',
      RetryOf: ids['job_id'],
      DeviceIds: [ids['device_id']],
      ArtifactId: ids['artifact_id'],
    }),
    outside: 'refused',
  },
  {
    body: ({ ids }) => ({ Name: 'job', DeviceId: ids['device_id'], WorkflowId: ids['workflow_id'] }),
    outside: 'refused',
  },
];
const rollouts: Example[] = [
  {
    body: ({ ids, group }) => ({ ...rollout('r'), DeviceGroup: group, ArtifactId: ids['artifact_id'] }),
    outside: 'refused',
  },
  {
    body: ({ ids }) => ({ ...rollout('r'), DeviceIds: [ids['device_id']], ArtifactId: ids['artifact_id'] }),
    outside: 'refused',
  },
  {
    body: ({ ids }) => ({ ...rollout('r'), DeviceIds: [ids['device_id']], WorkflowId: ids['workflow_id'] }),
    outside: 'refused',
  },
];
const rules = [{ Find: 'x', Pattern: false, CaseSensitive: false, Stream: 'both', Verdict: 'Failed' }];

/** A request for every operation: what goes with its path. */
const EXAMPLES: Record<string, Example[]> = {
  'devices.create': [
    { body: ({ group }) => ({ DeviceName: newName('made'), DeviceGroup: group }), outside: 'refused' },
  ],
  'devices.update': withBody(() => ({ DeviceName: 'renamed' })),
  'devices.locate': withBody(() => ({ Lat: 2, Lng: 2 })),
  'devices.locations': plain,
  'devices.page': plain,
  'devices.filter': [
    {},
    { query: ({ ids }) => `?device_id=${ids['device_id']}`, outside: 'nothing' },
    { query: ({ word }) => `?device_name=${word}`, outside: 'nothing' },
    { query: ({ group }) => `?device_group=${group}`, outside: 'nothing' },
  ],
  'devices.selected': [{ body: ({ ids }) => ({ DeviceIds: [ids['device_id']] }), outside: 'nothing' }],
  'devices.remove': plain,
  'devices.rekey': plain,
  'devices.rotateKey': plain,
  'devices.agent': plain,
  'devices.updateAgent': plain,
  'devices.downgradeAgent': withBody(() => ({ Sequence: 1 })),
  'enrolment.list': plain,
  'enrolment.create': withBody(({ group }) => ({ Name: newName('key'), DeviceGroup: group })),
  'enrolment.remove': plain,
  'enrolment.pending': plain,
  'enrolment.approve': withBody(() => ({})),
  'enrolment.reject': plain,
  'enrolment.enrol': withBody(() => ({ EnrolKey: 'none', MachineId: 'machine', DeviceName: 'd' })),
  'enrolment.beginPairing': withBody(() => ({ MachineId: 'machine', DeviceName: 'd', Secret: 'none' })),
  'enrolment.askPairing': [{ isMiss: true }],
  'enrolment.claimPairing': [
    { body: ({ group }) => ({ DeviceName: newName('made'), DeviceGroup: group }), outside: 'refused', isMiss: true },
  ],
  'tags.list': plain,
  'tags.create': plain,
  'tags.remove': plain,
  'tags.attach': plain,
  'tags.detach': plain,
  'account.get': plain,
  'account.tokens': plain,
  'account.update': withBody(() => ({ Name: 'renamed' })),
  'account.createToken': withBody(() => ({ Name: newName('token') })),
  'account.revokeToken': plain,
  'account.sessions': plain,
  'account.endSessions': plain,
  'account.endSession': plain,
  'people.me': plain,
  'people.list': plain,
  'people.invite': withBody(() => ({ Email: `${newName('p')}@example.com`, Name: '', Role: 'Viewer', Groups: [] })),
  'people.renewInvitation': plain,
  'people.update': withBody(() => ({ Name: 'renamed' })),
  'people.remove': plain,
  'artifacts.upload': withBody(() => script(`${newName('shared')}.sh`)),
  'artifacts.get': plain,
  'artifacts.list': plain,
  'artifacts.remove': plain,
  'uploads.tus': plain,
  'workflows.create': withBody(() => ({ Name: newName('shared'), Command: 'true' })),
  'workflows.get': plain,
  'workflows.list': plain,
  'workflows.remove': plain,
  'jobs.submit': jobs,
  'jobs.get': plain,
  'jobs.output': plain,
  'jobs.children': [{}, { query: () => '?since=' }],
  'jobs.outputs': [{ query: ({ ids }) => `?ids=${ids['job_id']}` }],
  'jobs.list': [{}, { query: () => '?since=' }],
  'jobs.page': [
    {},
    { query: ({ word }) => `?name=${word}`, outside: 'nothing' },
    { query: ({ group }) => `?target=group:${group}`, outside: 'nothing' },
    { query: ({ ids }) => `?target=device:${ids['device_id']}`, outside: 'nothing' },
  ],
  'jobs.queues': [{}, { query: () => '?since=' }],
  'jobs.ofDevice': plain,
  'jobs.runs': plain,
  'jobs.stop': plain,
  'jobs.remove': plain,
  'rules.list': plain,
  'rules.save': [{ body: () => ({ Rules: rules }) }, { body: () => ({ Rules: rules, Reviewed: true }) }],
  'rules.try': [{ body: ({ ids }) => ({ Rules: rules, JobId: ids['job_id'] }), outside: 'refused' }],
  'rollouts.create': rollouts,
  'rollouts.plan': rollouts,
  'rollouts.list': plain,
  'rollouts.get': plain,
  'rollouts.devices': plain,
  'rollouts.states': plain,
  'rollouts.runs': plain,
  'rollouts.pause': step,
  'rollouts.resume': step,
  'rollouts.advance': step,
  'rollouts.retry': step,
  'rollouts.abort': step,
  'rollouts.rollback': step,
  'rollouts.skip': withBody(({ ids }) => ({ Version: 1, DeviceIds: [ids['device_id']] })),
  'rollouts.remove': plain,
  'orders.list': plain,
  'orders.save': [
    { body: ({ group, ids }) => ({ DeviceGroup: group, ArtifactId: ids['artifact_id'] }), outside: 'refused' },
  ],
  'orders.remove': plain,
  'orders.devices': plain,
  'orders.retry': withBody(() => ({})),
  'versions.list': [
    { query: () => '?artifact=shared-1.sh' },
    { query: ({ ids }) => `?artifact=shared-1.sh&device_id=${ids['device_id']}`, outside: 'nothing' },
  ],
  'jobs.latest': [{ query: ({ ids }) => `?devices=${ids['device_id']}`, outside: 'nothing' }],
  'versions.counts': plain,
  'bulk.create': [
    { body: ({ ids }) => ({ Action: 'newKey', Devices: [ids['device_id']] }), outside: 'nothing' },
    { body: ({ ids }) => ({ Action: 'rotateKey', Devices: [ids['device_id']] }), outside: 'nothing' },
    { body: ({ ids }) => ({ Action: 'stop', Jobs: [ids['job_id']] }), outside: 'nothing' },
    {
      body: ({ ids }) => ({ Action: 'edit', Devices: [ids['device_id']], Values: { DeviceName: 'renamed' } }),
      outside: 'nothing',
    },
    {
      body: ({ group }) => ({ Action: 'create', Devices: [{ DeviceName: 'made', DeviceGroup: group }] }),
      outside: 'nothing',
    },
  ],
  'bulk.list': plain,
  'bulk.get': plain,
  'bulk.cancel': plain,
  'bulk.removeKeys': plain,
  'bulk.undo': plain,
  'archive.list': [{}, { query: ({ word }) => `?search=${word}`, outside: 'nothing' }],
  'archive.export': [{}, { query: ({ word }) => `?jobs=${word}`, outside: 'nothing', isMiss: true }],
  'changes.changes': [{}],
  'changes.events': plain,
  'tunnels.list': plain,
  'tunnels.open': [
    {
      body: ({ ids }) => ({ DeviceId: ids['device_id'], LocalDest: 'http://127.0.0.1:80', Login: 'u:long-enough-1' }),
      outside: 'refused',
    },
  ],
  'tunnels.removeAll': plain,
  'tunnels.remove': plain,
  'audit.list': [
    {},
    { query: ({ word }) => `?about=${word}`, outside: 'nothing' },
    { query: ({ ids }) => `?object=${ids['device_id']}`, outside: 'nothing' },
    { query: ({ ids }) => `?actor=device:${ids['device_id']}`, outside: 'nothing' },
  ],
  'audit.origin': [{ query: ({ ids }) => `?object=${ids['device_id']}`, outside: 'nothing' }],
  'audit.csv': [{}, { query: ({ word }) => `?about=${word}`, outside: 'nothing' }],
  'alerts.channels': plain,
  'alerts.createChannel': withBody(() => ({
    Name: newName('shared'),
    Kind: 'webhook',
    Url: 'http://127.0.0.1:9/',
    Format: 'json',
  })),
  'alerts.removeChannel': plain,
  'alerts.testDraft': withBody(() => ({ Name: newName('shared'), Kind: 'webhook', Url: 'http://127.0.0.1:9/' })),
  'alerts.testChannel': plain,
  'alerts.rules': plain,
  'alerts.tryRule': [
    { body: ({ group }) => ({ When: alertRule.When, ForMinutes: 0, DeviceGroup: group }), outside: 'refused' },
  ],
  'alerts.createRule': [
    {
      body: ({ group, ids }) => ({
        ...alertRule,
        Name: newName('rule'),
        DeviceGroup: group,
        Channels: [ids['channel_id']],
      }),
      outside: 'refused',
    },
  ],
  'alerts.updateRule': withBody(() => ({ QuietMinutes: 5 })),
  'alerts.removeRule': plain,
  'alerts.silenceRule': withBody(() => ({ Until: '', Reason: '' })),
  'alerts.firing': plain,
  'alerts.deliveries': plain,
  'usage.list': plain,
  'history.changes': [{}, { query: ({ ids }) => `?device_id=${ids['device_id']}`, outside: 'refused' }],
  'history.summary': [{}, { query: () => '?by=group' }, { query: () => '?by=site&steps=4' }],
  'history.series': [{}, { query: () => '?hours=1' }],
  'history.replay': plain,
  'timeline.list': plain,
  'timeline.addNote': withBody(() => ({ Text: 'note' })),
  'timeline.removeNote': plain,
  'facts.ofDevice': plain,
  'facts.names': plain,
  'facts.values': plain,
  'facts.counts': plain,
  'views.list': plain,
  'views.save': [{ body: () => ({ Query: '', Private: true }) }, { body: () => ({ Query: '', Private: false }) }],
  'views.remove': plain,
};

const ROWS = Object.entries<Operations>(API).flatMap(([resource, operations]) =>
  Object.entries(operations).map(([name, row]) => ({ id: `${resource}.${name}`, row })),
);

const paramsOf = ({ path }: Operation) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
/** Whether its path names an object of a device group. */
const isOfGroup = (row: Operation) =>
  paramsOf(row).some((name) => OF_GROUPS.includes(name)) ||
  (row.resource.name === 'orders' && paramsOf(row).length > 0);

const pathIn = (row: Operation, world: World) =>
  row.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (name === 'page_num') return '1';
    if (name === 'rows_per_page') return '100';
    if (name === 'fact_name') return 'rack';
    if (name === 'tag_name') return newName('tag');
    // A device that belongs to nobody yet; pairing.test.ts has those.
    if (name === 'pairing_id') return 'none';
    if (name === 'pairing_code') return 'ABCDEFGH';
    if (name === 'artifact_name') return world.artifactName;
    if (name === 'name') return row.resource.name === 'orders' ? world.order : world.view;
    const id = world.ids[name];
    assert.ok(id, `MAKERS has nothing for :${name} of ${row.path}`);
    return id;
  });

/** The same world with new objects for what this row may end. */
async function renewed(row: Operation, world: World, caller: string): Promise<World> {
  const fresh: World = { ...world, ids: { ...world.ids } };
  if (row.method === 'GET') return fresh;
  for (const kind of ['device_id', ...paramsOf(row)]) {
    const make = MAKERS[kind];
    if (make) fresh.ids[kind] = await make(fresh);
  }
  if (row.resource.name === 'jobs' || row.resource.name === 'rules')
    fresh.ids['job_id'] = (await MAKERS['job_id']?.(fresh)) ?? '';
  fresh.artifactName = newName('shared');
  if (row.resource.name === 'orders') fresh.order = await makeOrder(fresh);
  // A shared view of somebody else is another matter, which views.test.ts has.
  if (row.resource.name === 'views') {
    fresh.view = newName('private');
    await made(caller, 'PUT', `/v1/views/${fresh.view}`, { Query: '', Private: true });
  }
  return fresh;
}

// ---- The matrix ------------------------------------------------------------------------------------------------------

const OWN_GROUP = 'hall';
let own: World;
let otherGroup: World;
let otherAccount: World;
interface Who {
  role: Role;
  isLimited: boolean;
  secret: string;
}
const callers: Who[] = [];

before(async () => {
  // In a fresh clone none is built, and without one updates are refused to everybody.
  const options = { agentFile: join(import.meta.dirname, '../../agent/main.ts') };
  service = await startTestService({ ALERT_PRIVATE_TARGETS: '1' }, undefined, undefined, options);
  const { db } = service.context;
  const [admin, foreign] = await db.write(async (tx) => {
    await tx.run(
      `INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 99, 99999, 0)`,
    );
    await tx.run('UPDATE accounts SET max_devices = 100000');
    return [await createToken(tx, 1, 'admin', Date.now()), await createToken(tx, 2, 'foreign', Date.now())];
  });
  for (const role of ROLES)
    for (const isLimited of [false, true]) {
      const secret = await db.write(async (tx) => {
        const token = await createToken(tx, 1, `${role} of ${isLimited ? OWN_GROUP : 'all'}`, Date.now());
        const groups = JSON.stringify(isLimited ? [OWN_GROUP] : []);
        await tx.run('UPDATE tokens SET role = ?, groups_json = ? WHERE id = ?', role, groups, token.id);
        return token.secret;
      });
      callers.push({ role, isLimited, secret });
    }
  own = await makeWorld({ secret: admin.secret, accountId: 1, group: OWN_GROUP, word: 'mine' });
  const shared = Object.fromEntries(Object.entries(own.ids).filter(([kind]) => !OF_GROUPS.includes(kind)));
  otherGroup = await makeWorld({ secret: admin.secret, accountId: 1, group: 'quokka pen', word: 'quokka' }, shared);
  otherAccount = await makeWorld({ secret: foreign.secret, accountId: 2, group: 'wombat den', word: 'wombat' });
});
after(() => service.end());

/** What of another group or account is in an answer, except what the request itself has. */
function leaksIn({ text }: Answer, asked: string): string[] {
  return [otherGroup, otherAccount].flatMap(({ word, ids, order }, index) => {
    const secrets = Object.entries(ids).filter(([kind]) => index > 0 || OF_GROUPS.includes(kind));
    return [word, order, ...secrets.map(([, id]) => id)].filter(
      (each) => each !== '' && text.includes(each) && !asked.includes(each),
    );
  });
}

test('every operation has an example, and one for each permission that it may need', () => {
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), ROWS.map(({ id }) => id).toSorted());
  for (const { id, row } of ROWS) {
    if (typeof row.permission !== 'object') continue;
    const needed = new Set(EXAMPLES[id]?.map(({ body }) => permissionFor(row, { body: body?.(own) })));
    assert.deepEqual([...needed].toSorted(), [...row.permission.oneOf].toSorted(), id);
  }
});

/** Whether nothing that the operation can need is permitted. */
const isNever = ({ role, isLimited }: Who, { permission, unlimited }: Operation): boolean =>
  (isLimited && unlimited === true) ||
  (typeof permission === 'object' ? permission.oneOf : [permission]).every((each) => !isPermitted(role, each));

/** The status of the answer to a request whose body never comes. */
function askWithoutEnd(secret: string, method: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', 'Content-Length': 1000 };
    const sent = request(new URL(path, service.url), { method, headers }, ({ statusCode = 0 }) => {
      resolve(statusCode);
      sent.destroy();
    });
    sent.on('error', reject).flushHeaders();
  });
}

test('who has none of the permissions that an operation can need is refused before the body is read', async () => {
  for (const caller of callers)
    for (const { id, row } of ROWS)
      if (isNever(caller, row)) {
        const path = `${pathIn(row, own)}?no-such-parameter`;
        const who = `${caller.role}${caller.isLimited ? ' of one group' : ''}: ${id}`;
        assert.equal(await askWithoutEnd(caller.secret, row.method, path), 403, who);
      }
});

/** What the permission of a request depends on. */
const DECISIVE = ['WorkflowId', 'Reviewed', 'Private', 'Action'];
test('where the body decides what is needed, it does so before it is validated', async () => {
  for (const caller of callers)
    for (const { id, row } of ROWS)
      for (const { body } of typeof row.permission === 'object' ? (EXAMPLES[id] ?? []) : []) {
        const wrong = Object.entries(body?.(own) ?? {}).map(([name, value]) => [
          name,
          DECISIVE.includes(name) ? (value as unknown) : {},
        ]);
        const invalid = Object.fromEntries(wrong) as object;
        const isRefused = isNever(caller, row) || !isPermitted(caller.role, permissionFor(row, { body: invalid }));
        const { status, body: text } = await ask(caller.secret, row.method, pathIn(row, own), invalid);
        assert.equal(status, isRefused ? 403 : 400, `${caller.role}: ${id} ${JSON.stringify(invalid)}: ${text}`);
      }
});

/** What a role reads, by request, without versions: those may show that something changed. */
async function readings(secret: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const { id, row } of ROWS) {
    if (row.method !== 'GET' || row.events !== undefined || row.unlimited || MOVING.includes(id)) continue;
    for (const { query } of EXAMPLES[id] ?? []) {
      const path = pathIn(row, own) + (query?.(own) ?? '');
      const { status, body } = await ask(secret, 'GET', path);
      const withoutClock = (name: string, value: unknown) => (CLOCKED.test(name) ? undefined : value);
      const isJson = status === 200 && /^[{[]/.test(body);
      found[path] = isJson ? (JSON.parse(body, withoutClock) as unknown) : `${status}, ${body.length} bytes`;
    }
  }
  return found;
}
/** Fields that differ from one answer to the next. */
const CLOCKED = /^(Version|LastUsedTime|From|To|Until|.*Seconds)$/;
/** A download of the archive is itself in the audit log, and the steps of the series move with the clock. */
const MOVING = ['archive.export', 'history.series'];

test('nothing that a limited role reads, no figure either, moves with what happens in other groups', async () => {
  const { secret } = callers.find(({ role, isLimited }) => role === 'Admin' && isLimited)!;
  // Its own group must be at rest: no order that submits jobs, and no bulk work under way.
  await made(own.secret, 'DELETE', `/v1/orders/${own.order}`);
  let earlier = await readings(secret);
  await until('the own group to be at rest', async () => {
    const last = earlier;
    earlier = await readings(secret);
    return isDeepStrictEqual(earlier, last);
  });
  const world: World = { ...otherGroup, ids: { ...otherGroup.ids } };
  for (const kind of OF_GROUPS) world.ids[kind] = (await MAKERS[kind]?.(world)) ?? '';
  await makeOrder(world);
  const { DeviceId, DeviceKey } = await made<{ DeviceId: string; DeviceKey: string }>(
    world.secret,
    'POST',
    '/v1/devices',
    { DeviceName: newName(world.word), DeviceGroup: world.group },
  );
  await made(world.secret, 'POST', `/v1/devices/location/${DeviceId}`, { Lat: 3, Lng: 3 });
  await made(world.secret, 'POST', `/v1/devices/${DeviceId}/tag/${world.ids['tag_id']}`);
  const agent = new FakeAgent(service.url, DeviceKey);
  // The standing orders of the group submit jobs, too.
  agent.socket.on('message', () => {
    for (const message of agent.received.splice(0))
      if (message.type === 'run') agent.finish(message.job, 3, 'what the device printed');
  });
  await once(agent.socket, 'open');
  agent.hello();
  for (const Name of [newName(world.word), newName(world.word)]) {
    const draft = { Name, DeviceId, ArtifactId: world.ids['artifact_id'] };
    const { JobId } = await made<{ JobId: string }>(world.secret, 'POST', '/v1/job', draft);
    const end = async () => (await made<{ EndTime: string }>(world.secret, 'GET', `/v1/job/${JobId}`)).EndTime !== '';
    await until('the job to end', end);
    await made(world.secret, 'POST', '/v1/bulk', { Action: 'archive', Jobs: [JobId] });
  }
  await made(world.secret, 'POST', '/v1/devices', { DeviceName: newName(world.word), DeviceGroup: '' });
  await agent.end();
  await made(world.secret, 'DELETE', `/v1/devices/${otherGroup.ids['device_id']}`);
  otherGroup = world;
  const now = await readings(secret);
  for (const [path, answer] of Object.entries(now)) assert.deepEqual(answer, earlier[path], path);
  assert.equal((await ask(secret, 'GET', '/metrics')).status, 403);
  own.order = await makeOrder(own);
});

/** Rows with a body that change nothing. */
const READING = ['rollouts.plan', 'rules.try', 'alerts.tryRule'];
test('every writing operation that an Admin carries out is in the audit log', async () => {
  const secret = callers.find(({ role, isLimited }) => role === 'Admin' && !isLimited)?.secret ?? '';
  const newest = async () =>
    (await service.context.db.get<{ seq: number }>('SELECT max(seq) AS seq FROM audit'))?.seq ?? 0;
  const silent: string[] = [];
  for (const { id, row } of ROWS) {
    if (row.method === 'GET' || READING.includes(id)) continue;
    const [example] = EXAMPLES[id] ?? [];
    const world = await renewed(row, own, secret);
    const last = await newest();
    const { status } = await ask(secret, row.method, pathIn(row, world), example?.body?.(world));
    if (status < 300 && (await newest()) === last) silent.push(id);
  }
  assert.deepEqual(silent, []);
});

for (const role of ROLES)
  for (const isLimited of [false, true])
    test(`${role} of ${isLimited ? 'one group' : 'all groups'}: every operation`, async () => {
      const caller = callers.find((each) => each.role === role && each.isLimited === isLimited);
      assert.ok(caller);
      const faults: string[] = [];
      for (const { id, row } of ROWS)
        for (const example of EXAMPLES[id] ?? [])
          for (const whose of ['own', 'other group', 'other account'] as const) {
            const isOutside = whose === 'other account' || (whose === 'other group' && isLimited);
            const known = { own, 'other group': otherGroup, 'other account': otherAccount }[whose];
            const permission = permissionFor(row, { body: example.body?.(known) });
            const isRefused = !isPermitted(role, permission) || (isLimited && row.unlimited === true);
            // An unlimited role has no other groups, and what the account shares is of none.
            const isShared = paramsOf(row).some((name) => MAKERS[name]) && !isOfGroup(row);
            if (whose === 'other group' && (!isLimited || isShared)) continue;
            const world = whose === 'own' && !isRefused ? await renewed(row, known, caller.secret) : known;
            const path = pathIn(row, world) + (example.query?.(world) ?? '');
            const body = example.body?.(world);
            const answer = await ask(caller.secret, row.method, path, body, row.events !== undefined);
            const { status } = answer;
            const fault = (what: string) =>
              faults.push(
                `${id}, ${whose}: ${what}: ${row.method} ${path} ${JSON.stringify(body) ?? ''}: ${status} ${answer.body.slice(0, 300)}`,
              );
            if (status >= 500) fault('failed');
            else if (isRefused) {
              if (status !== 403) fault('should be 403');
            } else if (isOutside) {
              const names = paramsOf(row).filter((name) => MAKERS[name]);
              const isHidden =
                whose === 'other account' ? names.length > 0 : isOfGroup(row) && row.path !== '/v1/orders/:name';
              if (isHidden) {
                // The jobs of an artifact are a list, which is empty for whoever has no such artifact.
                if (status !== 404 && id !== 'jobs.runs') fault('should be 404');
              } else if (example.outside === 'refused' && whose === 'other group') {
                if (![400, 403, 404, 409].includes(status)) fault('should be refused');
              }
            } else if (permission !== 'self' && !example.isMiss && [401, 403, 404].includes(status))
              fault('should be permitted');
            if (isLimited)
              for (const leak of leaksIn(answer, isOutside ? `${path} ${JSON.stringify(body)}` : ''))
                fault(`reveals ${leak}`);
          }
      assert.equal(faults.join('\n'), '');
    });
