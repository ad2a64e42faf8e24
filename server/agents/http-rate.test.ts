// How much an agent may send over HTTP: what exceeds it is refused with a time after which to try again.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { FIRST_ACCOUNT, setUpFirstAccount } from '../store/accounts.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../store/database.ts';
import { insertDevice } from '../store/devices.ts';
import { Problem } from '../http/problem.ts';
import { openTestDatabase } from '../store/test-database.ts';
import { openAudit } from '../store/audit.ts';
import { openKeyRotation } from './key-rotation.ts';
import type { AgentConnection } from './agent-connection.ts';
import { openHttpLink } from './http-link.ts';
import type { HttpLink } from './http-link.ts';

let db: Database;
let key: string;
before(async () => {
  db = await openTestDatabase();
  await db.write(async (tx) => {
    await setUpFirstAccount(tx, readConfig({ DATA_DIR: '/nowhere' }), 1);
    ({ key } = await insertDevice(tx, FIRST_ACCOUNT, { DeviceName: 'device', DeviceGroup: '' }, 1));
  });
});
after(() => db.close());

let now: number;
let httpLink: HttpLink;
let live: AgentConnection | undefined;
beforeEach(() => {
  now = 1_000_000;
  httpLink = openHttpLink({
    db,
    node: 'n',
    keyRotation: openKeyRotation({ db, audit: openAudit(() => now), now: () => now }),
    publicUrl: () => 'http://service',
    steady: () => now,
    link: {
      of: () => live,
      begin: (connection) => {
        live = connection;
        connection.session = 1;
        connection.job = { id: 'job', stdout: 0, stderr: 0 } as NonNullable<AgentConnection['job']>;
        connection.send({ type: 'welcome', version: 1, device: '', name: '' });
      },
      // Nothing is ever stored.
      pass: () => new Promise(() => {}),
      left: () => {},
    },
  });
});

const ask = (method: string, path: string, query = '', body = ''): Promise<number> =>
  httpLink
    .answer(key, {
      method,
      path,
      query: new URLSearchParams(query),
      session: '1',
      body: () => Promise.resolve(Buffer.from(body)),
      whenGone: () => {},
    })
    .then(
      ({ status }) => status,
      (cause: unknown) => {
        assert.ok(cause instanceof Problem && cause.headers['Retry-After'] === '1', String(cause));
        return cause.status;
      },
    );

test('a device says hello five times at once, and once a second after that', async () => {
  for (let times = 0; times < 5; times++) assert.equal(await ask('POST', '/hello'), 200);
  assert.equal(await ask('POST', '/hello'), 429);
  now += 1_000;
  assert.deepEqual([await ask('POST', '/hello'), await ask('POST', '/hello')], [200, 429]);
  httpLink.close();
});

test('a session sends twenty requests at once, and a thousand a second after that', async () => {
  await ask('POST', '/hello');
  for (let times = 0; times < 20; times++) assert.equal(await ask('GET', '/next', 'wait=0'), 204);
  assert.equal(await ask('GET', '/next', 'wait=0'), 429);
  now += 2;
  assert.deepEqual([await ask('GET', '/next', 'wait=0'), await ask('GET', '/next', 'wait=0')], [204, 204]);
  assert.equal(await ask('GET', '/next', 'wait=0'), 429);
  httpLink.close();
});

test('eight requests of a session may be without an answer', async () => {
  await ask('POST', '/hello');
  for (let times = 0; times < 8; times++) void ask('PUT', '/job/job/output', 'stream=stdout&offset=0', 'x');
  assert.equal(await ask('POST', '/job/job/taken'), 429);
  assert.equal(await ask('GET', '/next', 'wait=0'), 204);
  httpLink.close();
});
