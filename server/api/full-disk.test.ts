// A full or read-only disk: clear errors, nothing left behind, reading works, space can be freed, and then everything
// works again.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs, { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { after, afterEach, before, mock, test } from 'node:test';
import type { ProblemBody } from '#/contract/problem.ts';
import type { Account } from '#/contract/account.ts';
import type { Device } from '#/contract/devices.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
/** The prototype of all open files, because the tests cannot mount a small disk. */
let files: FileHandle;
before(async () => {
  service = await startTestService();
  const handle = await open(import.meta.filename);
  files = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
after(() => service.end());
afterEach(() => {
  mock.restoreAll();
  syncBuiltinESMExports();
});

function upload(): Promise<Response> {
  const form = new FormData();
  // Longer than a page of the database, so that it needs space there too.
  const fields = { size: '1', version: '1', type: 'script', destination: '/', command: 'x'.repeat(4096) };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File(['#!/bin/sh\n', 'x'.repeat(500_000)], 'x.sh'));
  return service.call('POST', '/v1/artifact', form, { 'Idempotency-Key': 'full-disk' });
}
async function isRefused(words: RegExp) {
  const response = await upload();
  const { title, detail } = (await response.json()) as ProblemBody;
  assert.equal(response.status, 503, title);
  assert.match(`${title}. ${detail}`, words);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.deepEqual(readdirSync(path.join(service.dataDir, 'artifacts')), ['arriving']);
  assert.deepEqual(readdirSync(path.join(service.dataDir, 'artifacts/arriving')), []);
  assert.deepEqual(await (await service.call('GET', '/v1/artifact')).json(), []);
}
/** The limit belongs to the connection that writes. */
const limitPages = (pages: number) =>
  service.context.db.write((tx) => tx.get(`PRAGMA max_page_count = ${pages}`), { essential: true });
async function fillDatabase(): Promise<void> {
  const { db } = service.context;
  const { page_count: pages } = (await db.get<{ page_count: number }>('PRAGMA page_count')) ?? { page_count: 0 };
  await limitPages(pages);
  // Free space inside the file is used first.
  for (let disk = true; disk;)
    disk = await db
      .write((tx) => tx.run('INSERT INTO settings VALUES (hex(randomblob(8)), hex(zeroblob(100)))'))
      .then(
        () => true,
        () => false,
      );
}
const account = async () => (await (await service.call('GET', '/v1/account')).json()) as Account;
/** The log from here on: one line for each fault; bugs add their stack. */
function watchLog(): string[] {
  const written: string[] = [];
  mock.method(process.stderr, 'write', (text: string) => written.push(text.trimEnd()) > 0);
  return written;
}
const noSpace = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
const FULL = /cannot store the file.*Nothing was kept.*free space on the disk/;

test('while its bytes are written', async () => {
  const write = mock.method(files, 'writeFile', noSpace);
  await isRefused(FULL);
  assert.ok(write.mock.callCount() > 0);
});

test('when they are flushed', async () => {
  const sync = mock.method(files, 'sync', noSpace);
  await isRefused(FULL);
  assert.ok(sync.mock.callCount() > 0);
});

test('when it is noted in the database', async () => {
  await fillDatabase();
  await isRefused(/disk of the service is full.*Nothing was changed/);
  await limitPages(1_000_000);
});

test('and once there is room again, the same order succeeds', async () => {
  assert.equal((await upload()).status, 200);
  assert.equal(readdirSync(path.join(service.dataDir, 'artifacts')).length, 2);
});

test('jobs, artifacts and devices can be deleted while all else is refused, agents too, and then all works again', async () => {
  const fleet = testFleet((...asked) => service.call(...asked));
  const device = await fleet.device();
  const job = await fleet.run('true', { DeviceId: device.id });
  const [artifact] = (await (await service.call('GET', '/v1/artifact')).json()) as { ArtifactId: string }[];
  const agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('run');
  const lines = watchLog();
  mock.method(fs, 'statfsSync', () => ({ bavail: 0, bsize: 4096, blocks: 1_000_000 }));
  syncBuiltinESMExports();
  await fillDatabase();
  assert.equal((await account()).DiskState, 'Full');
  const created = await service.call('POST', '/v1/devices', { DeviceName: 'x', DeviceGroup: '' });
  assert.equal(created.status, 503);
  assert.match(await created.text(), /disk of the service is full.*Delete jobs or artifacts/);

  // What can be read is read, without a try to write.
  for (const at of ['audit', `device/${device.id}/timeline`])
    assert.equal((await service.call('GET', `/v1/${at}`)).status, 200, at);
  assert.ok(!lines.some((line) => line.includes('audit')), lines.join('\n'));

  // A fault that repeats is one line in the log.
  await agent.end();
  for (let again = 0; again < 5; again++) {
    const { socket } = new FakeAgent(service.url, device.key);
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.equal(answer.statusCode, 503);
    answer.destroy();
  }
  await fleet.remove(job);
  for (const at of [`/v1/artifact/${artifact?.ArtifactId}`, `/v1/devices/${device.id}`])
    assert.equal((await service.call('DELETE', at)).status, 200, at);
  assert.deepEqual(await fleet.jobs(), []);
  // The timer that looks for low space may have run once before the disk was full.
  const faults = lines.filter((line) => !line.includes('is nearly full'));
  assert.ok(faults.length <= 4 && lines.length - faults.length <= 1, lines.join('\n'));
  for (const line of lines) assert.doesNotMatch(line, /\n/);

  mock.restoreAll();
  syncBuiltinESMExports();
  await limitPages(1_000_000);
  assert.equal((await service.call('POST', '/v1/devices', { DeviceName: 'x', DeviceGroup: '' })).status, 200);
  assert.equal((await account()).DiskState, undefined);
});

test('on a read-only disk the service starts, says so, lets people sign in and read, and refuses every change', async () => {
  const fleet = testFleet((...asked) => service.call(...asked));
  const device = await fleet.device('', 'pump');
  const agent = await FakeAgent.connect(service.url, device.key);
  const job = await fleet.run('true', { DeviceId: device.id });
  agent.finish((await agent.receive('run')).job, 0, 'done');
  await fleet.ended(job);
  await service.close();
  const lines = watchLog();
  mock.method(fs, 'accessSync', () => {
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  });
  syncBuiltinESMExports();
  service = await startTestService({}, service.dataDir);
  assert.match(service.context.disk.problem() ?? '', /is read-only: everything can be read, nothing can be changed/);
  assert.equal((await account()).DiskState, 'ReadOnly');
  assert.equal((await fleet.job(job)).Stdout, 'done');
  const { Devices } = (await (await service.call('GET', '/v1/devices/1/9')).json()) as { Devices: Device[] };
  assert.deepEqual([Devices.at(-1)?.DeviceName, Devices.at(-1)?.DeviceStatus], ['pump', 'Offline']);

  const signedIn = await fetch(`${service.url}/auth/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Code: service.signinLink.split('code=')[1] }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.equal((await fetch(`${service.url}/v1/job`, { headers: { cookie } })).status, 200);

  const changes: [method: string, at: string, body?: object][] = [
    ['POST', '/v1/devices', { DeviceName: 'x', DeviceGroup: '' }],
    ['POST', `/v1/devices/location/${device.id}`, { Lat: 1, Lng: 2 }],
    ['DELETE', `/v1/devices/${device.id}`],
    ['DELETE', `/v1/job/${job}`],
    ['POST', '/v1/tag/x'],
    ['POST', '/v1/people', { Email: 'new@example.com', Name: '', Role: 'Viewer', Groups: [] }],
  ];
  for (const [method, at, body] of changes) {
    const refused = await service.call(method, at, body);
    assert.equal(refused.status, 503, `${method} ${at}`);
    assert.match(await refused.text(), /disk of the service is read-only/);
  }
  for (const line of lines) assert.doesNotMatch(line, /\n/);
});
