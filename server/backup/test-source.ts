// For tests of backups: a database with rows in every table, and all that a service on it answers, to compare with the
// answers of the service that starts on what was restored.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { ConfigError } from '../config-error.ts';
import { createTestDatabase, onPostgres } from '../store/test-database.ts';
import { startTestS3 } from '../store/test-s3.ts';
import type { TestS3 } from '../store/test-s3.ts';
import { printRow, sqliteCounter, sqliteRows, tablesOf } from './tables.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

/** Addresses of tunnels do not depend on the port of a start then. */
const FIXED = { TUNNEL_DOMAIN: 'tunnels.example:8443' };

/** Of a job that was submitted with it. */
const KEY = 'a-key-of-a-client';

/** Starts a service on a place that tests chose, with DATABASE_URL and ARTIFACT_STORE_URL only from `env`. */
const startOn = (env: Record<string, string>, dataDir?: string): Promise<TestService> =>
  startTestService({ DATABASE_URL: '', ARTIFACT_STORE_URL: '', ...FIXED, ...env }, dataDir);

async function upload(service: TestService, name: string, content: string): Promise<string> {
  const form = new FormData();
  const fields = { size: '1', version: '1', type: 'script', destination: '/tmp', command: `sh ${name}` };
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append('file', new Blob([content]), name);
  const response = await service.call('POST', '/v1/artifact', form);
  assert.equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as { ArtifactId: string }).ArtifactId;
}

/** Uses every part of a service. Returns the cookie of a browser that is signed in. */
async function fill(service: TestService): Promise<string> {
  const fleet = testFleet((...request) => service.call(...request));
  const send = async (method: string, at: string, body?: unknown, headers?: Record<string, string>) => {
    const response = await service.call(method, at, body, headers);
    assert.equal(response.status, 200, `${method} ${at}: ${await response.clone().text()}`);
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
  };
  const devices = [
    await fleet.device('lab', 'Ünï 🚀'),
    await fleet.device('lab', 'two'),
    await fleet.device('', 'three'),
  ];
  const [first, second, third] = devices;
  assert.ok(first && second && third);
  const { url } = service;
  const agents = [await FakeAgent.connect(url, first.key), await FakeAgent.connect(url, second.key)];
  for (const agent of agents) await agent.receive('welcome');
  await send('POST', `/v1/devices/location/${first.id}`, { Lat: 48.137154, Lng: -0.1 });

  await send('POST', '/v1/tag/beta');
  const [tag] = (await (await service.call('GET', '/v1/tag')).json()) as { TagId: string }[];
  await send('POST', `/v1/devices/${first.id}/tag/${tag?.TagId}`);
  const artifact = await upload(service, 'install.sh', `#!/bin/sh\n${'x'.repeat(100_000)}`);
  await upload(service, 'other.sh', '#!/bin/sh\n');

  // A group's job: one child succeeds with much output, one fails.
  const parent = await fleet.run('echo "$HOME"', { DeviceGroup: 'lab' });
  for (const [index, agent] of agents.entries()) {
    const { job } = await agent.receive('run');
    agent.finish(job, index, `line of ${index}\n`.repeat(3000));
    await agent.receive('settled');
  }
  await fleet.ended(parent);
  // One that waits, and one that runs.
  await fleet.submit({ DeviceId: third.id, ArtifactId: artifact });
  await send(
    'POST',
    '/v1/job',
    { Name: 'twice', DeviceId: first.id, ArtifactId: artifact },
    { 'Idempotency-Key': KEY },
  );
  const { job } = (await agents[0]?.receive('run')) ?? {};
  assert.ok(job);
  agents[0]?.say({ type: 'started', job, ago: 0 });
  agents[0]?.say({
    type: 'output',
    job,
    stream: 'stderr',
    offset: 0,
    data: Buffer.from([0, 255, 10]).toString('base64'),
  });
  await fleet.reached(job, 'Running');
  await agents[0]?.receive('stored');

  agents[1]?.say({
    type: 'offers',
    run: 'process1',
    offers: [
      { id: 0, protocol: 'HTTP', dest: 'http://127.0.0.1:80' },
      { id: 1, protocol: 'HTTP', dest: 'http://127.0.0.1:81' },
    ],
  });
  await agents[1]?.receive('opened');
  const [closed] = (await (await service.call('GET', '/v1/tunnels')).json()) as { Name: string }[];
  await send('DELETE', `/v1/tunnels/${closed?.Name}`);

  // What was deleted last had the highest numbers.
  await send('DELETE', `/v1/artifact/${await upload(service, 'gone.sh', 'gone')}`);
  await send('DELETE', `/v1/devices/${(await fleet.device('', 'gone')).id}`);
  await send('POST', '/v1/account/tokens', { Name: 'ci' });
  const signedIn = await fetch(`${url}/auth/session`, {
    method: 'POST',
    headers: { Origin: url },
    body: JSON.stringify({ Token: service.token }),
  });
  assert.equal(signedIn.status, 200, await signedIn.clone().text());

  for (const agent of agents) await agent.end();
  for (const { id } of devices)
    await until('the device to be Offline', async () => (await fleet.status(id)) === 'Offline');
  return (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Links to artifacts are signed each time, and the questions themselves use the token. */
const lasting = (key: string, value: unknown) =>
  key === 'LastUsedTime' || (typeof value === 'string' && value.includes('/download/')) ? '' : value;

/** What a service answers to all questions about its data. */
async function answersOf(service: TestService): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const ask = async (at: string) => {
    const response = await service.call('GET', at);
    assert.equal(response.status, 200, at);
    return (answers[at] = JSON.parse(await response.text(), lasting) as unknown);
  };
  const jobs = (await ask('/v1/job')) as { JobId: string }[];
  for (const at of ['devices/1/100', 'devices/location', 'tag', 'workflow', 'artifact', 'tunnels', 'jobs/queues'])
    await ask(`/v1/${at}`);
  for (const at of ['account', 'account/tokens', 'account/sessions']) await ask(`/v1/${at}`);
  for (const { JobId } of jobs) {
    const children = (await ask(`/v1/job/${JobId}/childjobs`)) as { JobId: string }[];
    for (const { JobId: id } of [{ JobId }, ...children]) {
      await ask(`/v1/job/${id}`);
      await ask(`/v1/job/${id}/output`);
    }
  }
  return answers;
}

/** Every file below a folder with its content and time; not what each program opens or SQLite leaves empty. */
export function filesOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('muster.lock') && !/-(shm|wal)$/.test(entry.name),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), `${hash('sha256', readFileSync(file))} ${statSync(file).mtimeMs}`];
    }),
  );
}

export interface Filled {
  answers: Record<string, unknown>;
  cookie: string;
}

/** A data folder of a service that was used and stopped. */
export async function fillFolder(folder: string): Promise<Filled> {
  const service = await startOn({}, folder);
  try {
    const cookie = await fill(service);
    return { cookie, answers: await answersOf(service) };
  } finally {
    await service.close();
  }
}

export const refused = (attempt: Promise<unknown>, words: RegExp): Promise<void> =>
  assert.rejects(attempt, (cause) => {
    assert.ok(cause instanceof ConfigError, String(cause));
    assert.match(cause.message, words);
    return true;
  });

/** A service on the target answers as the one before, its browser is still signed in, and its numbers go on. */
export async function answersTheSame(
  t: TestContext,
  { answers, cookie }: Filled,
  place: { DATA_DIR: string },
): Promise<void> {
  const service = await startAt(t, place);
  for (const [at, answer] of Object.entries(await answersOf(service))) assert.deepEqual(answer, answers[at], at);
  const session = await fetch(`${service.url}/auth/session`, { headers: { Cookie: cookie } });
  assert.equal(session.status, 200);
  const draft = { Name: 'other', DeviceId: 'x', WorkflowId: 'x' };
  const repeated = await service.call('POST', '/v1/job', draft, { 'Idempotency-Key': KEY });
  assert.equal(repeated.status, 409, 'the key was used for another job');
  const body = { DeviceName: 'new', DeviceGroup: '' };
  const made = (await (await service.call('POST', '/v1/devices', body)).json()) as { DeviceId: string };
  const { db } = service.context;
  const row = await db.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', made.DeviceId);
  assert.equal(row?.seq, 5, 'the number of a deleted device is not used again');
  const changed = db.write((tx) => tx.run("UPDATE audit SET actor = 'x'"));
  await assert.rejects(changed, /append-only/);
}

/** An S3 store, empty. */
export async function startStore(t: TestContext): Promise<TestS3> {
  const s3 = await startTestS3();
  t.after(() => s3.end());
  return s3;
}

const dropped: (() => Promise<void>)[] = [];

/** An empty place of the engine that is tested. `dropPlaces` removes it, after the services on it were closed. */
export async function emptyPlace(DATA_DIR: string): Promise<{ DATA_DIR: string; DATABASE_URL?: string }> {
  if (!onPostgres) return { DATA_DIR };
  const { url, drop } = await createTestDatabase({ empty: true });
  dropped.push(drop);
  return { DATA_DIR, DATABASE_URL: url.href };
}

export async function dropPlaces(): Promise<void> {
  for (const drop of dropped.splice(0)) await drop();
}

/** A service on such a place, until the end of the test. */
export async function startAt(
  t: TestContext,
  { DATA_DIR, ...env }: { DATA_DIR: string; DATABASE_URL?: string },
): Promise<TestService> {
  const service = await startOn(env, DATA_DIR);
  t.after(() => service.close());
  return service;
}

/** Adds a row to each table of a stopped service that has none. */
export function fillEmptyTables(file: string): void {
  const sqlite = new DatabaseSync(file);
  const isEmpty = (name: string) => sqlite.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined;
  /** Rows that others refer to come first. */
  for (let left = tablesOf(sqlite).filter(({ name }) => isEmpty(name)); left.length > 0;) {
    const next = left.filter(({ name }) => !addRow(sqlite, name));
    assert.ok(next.length < left.length, `no row fits in ${next.map(({ name }) => name).join(', ')}`);
    left = next;
  }
  sqlite.close();
}

const VALUES: Record<string, SQLInputValue> = {
  INTEGER: 1,
  REAL: 0.1 + 0.2,
  TEXT: '"Ünï 🚀"\n',
  BLOB: Buffer.of(0, 255, 10),
};

/** False if a row that it has to refer to is missing. */
function addRow(sqlite: DatabaseSync, name: string): boolean {
  const sql = String(sqlite.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name)?.['sql']);
  const references = sqlite.prepare('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)').all(name);
  const columns = sqlite.prepare('SELECT name, type FROM pragma_table_info(?)').all(name);
  const values = columns.map((column): SQLInputValue | undefined => {
    const reference = references.find(({ from }) => from === column['name']);
    if (reference) {
      const { table, to } = reference;
      const key =
        to ?? sqlite.prepare('SELECT name FROM pragma_table_info(?) WHERE pk = 1').get(String(table))?.['name'];
      return sqlite.prepare(`SELECT ${String(key)} AS value FROM ${String(table)}`).get()?.['value'];
    }
    const [, allowed] = new RegExp(`\\b${String(column['name'])} IN \\('(\\w+)'`).exec(sql) ?? [];
    return allowed ?? VALUES[String(column['type'])];
  });
  if (values.some((value) => value === undefined)) return false;
  const list = columns.map((column) => `"${String(column['name'])}"`).join(', ');
  sqlite
    .prepare(`INSERT INTO ${name} (${list}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...values.map((value) => value ?? null));
  return true;
}

/** All rows of all tables, and the numbers that were used. Upgraded tables have their columns in another order than new ones. */
export function contentsOf(dataDir: string): Record<string, string[]> {
  const sqlite = new DatabaseSync(path.join(dataDir, 'muster.db'), { readOnly: true });
  const contents = Object.fromEntries(
    tablesOf(sqlite).map((table) => {
      const columns = table.columns.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      const rows = [...sqliteRows(sqlite, { ...table, columns })].map((row) => printRow(row));
      return [table.name, [`last ${sqliteCounter(sqlite, table)}`, ...rows.toSorted()]];
    }),
  );
  sqlite.close();
  return contents;
}
