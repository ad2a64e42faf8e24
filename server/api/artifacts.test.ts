// Artifacts over real HTTP: uploads of every kind, whole and broken; listing, deleting; the Command and its link.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Artifact } from '#/contract/artifacts.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { tar } from '#/contract/test-tar.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { until } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ ARTIFACT_QUOTA_MB: '25' });
});
after(() => service.end());

const SCRIPT = Buffer.from('#!/bin/sh\necho "hello from $0"\nexit 4\n');
const PACKED = gzipSync(tar({ path: 'app/update.sh', body: 'echo updated\nexit 6\n' }));
const tarForm = { size: '12', version: '1.2', type: 'tar.gz' };
const scriptForm = (to: string) => ({ ...tarForm, type: 'script', destination: to, command: './x.sh' });

function form(fields: Record<string, string>, file?: { name: string; bytes: Buffer }, fileFirst = false): FormData {
  const data = new FormData();
  const attach = () => file && data.append('file', new Blob([new Uint8Array(file.bytes)]), file.name);
  if (fileFirst) attach();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (!fileFirst) attach();
  return data;
}
const upload = (data: FormData, to = service) => to.call('POST', '/v1/artifact', data);
const accepted = async (response: Response) => {
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Artifact;
};
const refused = async (response: Response, status: number) => {
  assert.equal(response.status, status, await response.clone().text());
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return (await response.json()) as ProblemBody;
};
const stored = (of = service) => of.stored();
const arriving = (of = service) => readdirSync(path.join(of.dataDir, 'artifacts/arriving'));
const remove = (id: string) => service.call('DELETE', `/v1/artifact/${id}`);
const run = (command: string): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { cwd: service.dataDir }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test('a relative destination folder is refused with the reason', async () => {
  const { detail, errors } = await refused(
    await upload(form(scriptForm('opt/app'), { name: 'x.sh', bytes: SCRIPT })),
    400,
  );
  assert.match(`${detail} ${JSON.stringify(errors)}`, /destination.*must be an absolute path, such as \/opt\/myapp/);
});

test('an artifact is uploaded, shown, listed, run by its Command, and deleted', async () => {
  const made = await accepted(await upload(form(tarForm, { name: 'app 1.2.tar.gz', bytes: PACKED })));
  const { ArtifactId, Command, CreatedTime, ...rest } = made;
  assert.deepEqual(rest, {
    Name: 'app 1.2.tar.gz',
    Version: '1.2',
    Size: 12,
    IsScript: false,
    SizeBytes: PACKED.length,
    Sha256: createHash('sha256').update(PACKED).digest('hex'),
  });
  assert.match(CreatedTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00$/);
  assert.ok(Math.abs((parseTimestamp(CreatedTime)?.getTime() ?? 0) - Date.now()) < 60_000);
  assert.deepEqual(await accepted(await service.call('GET', `/v1/artifact/${ArtifactId}`)), made);
  const list = await service.call('GET', '/v1/artifact');
  assert.deepEqual(await list.json(), [made]);
  const again = await service.call('GET', '/v1/artifact', undefined, {
    'If-None-Match': list.headers.get('etag') ?? '',
  });
  assert.equal(again.status, 304, 'the token in the Command does not change from one listing to the next');

  assert.deepEqual(await run(Command), { code: 6, stdout: 'updated\n', stderr: '' });

  const gone = await remove(ArtifactId);
  assert.deepEqual([gone.status, await gone.text()], [200, '']);
  assert.deepEqual(stored(), []);
  await refused(await service.call('GET', `/v1/artifact/${ArtifactId}`), 404);
  await refused(await remove(ArtifactId), 404);
  assert.match((await run(Command)).stderr, /Cannot download/);
});

test('a script, with its file before the fields', async () => {
  const to = path.join(service.dataDir, "it's here/now");
  const made = await accepted(await upload(form(scriptForm(to), { name: 'x.sh', bytes: SCRIPT }, true)));
  assert.equal(made.IsScript, true);
  assert.deepEqual([made.Destination, made.RunCommand], [to, scriptForm(to)['command']]);
  assert.deepEqual(await run(made.Command), { code: 4, stdout: 'hello from ./x.sh\n', stderr: '' });
  await remove(made.ArtifactId);
});

test('only the base name counts', async () => {
  for (const [given, name] of [
    ['C:\\work\\x.sh', 'x.sh'],
    ['../../etc/cron.d/x.sh', 'x.sh'],
    ['/abs/x y.sh', 'x y.sh'],
    ['größe "2".sh', 'größe "2".sh'],
    ['...', '...'],
  ] as const) {
    const made = await accepted(await upload(form(scriptForm('/tmp'), { name: given, bytes: SCRIPT })));
    assert.equal(made.Name, name);
    await remove(made.ArtifactId);
  }
  for (const given of ['..', 'a/..', 'a/', 'tab\there', 'x'.repeat(256)]) {
    const problem = await refused(await upload(form(scriptForm('/tmp'), { name: given, bytes: SCRIPT })), 400);
    assert.equal(problem.errors?.[0]?.field, 'file', given);
  }
  assert.deepEqual([stored(), arriving()], [[], []]);
});

test('each wrong field is named, and nothing is stored', async () => {
  const file = { name: 'x.sh', bytes: SCRIPT };
  const fieldsOf = async (data: FormData) => (await refused(await upload(data), 400)).errors?.map(({ field }) => field);
  assert.deepEqual(await fieldsOf(form({}, file)), ['size', 'version', 'type']);
  assert.deepEqual(await fieldsOf(form({ ...tarForm, size: '1.5' }, file)), ['size']);
  assert.deepEqual(await fieldsOf(form({ ...tarForm, type: 'zip' }, file)), ['type']);
  assert.deepEqual(await fieldsOf(form({ ...tarForm, type: 'script' }, file)), ['destination', 'command']);
  assert.deepEqual(await fieldsOf(form({ ...scriptForm('/a\0b') }, file)), ['destination']);
  assert.deepEqual(await fieldsOf(form(tarForm)), ['file']);
  assert.deepEqual(await fieldsOf(form({ ...tarForm, file: 'only text' })), ['file']);
  assert.deepEqual(await fieldsOf(form(tarForm, { name: 'empty.sh', bytes: Buffer.alloc(0) })), ['file']);
  assert.deepEqual(await fieldsOf(form(tarForm, file)), ['file'], 'a script is no tar.gz');
  const twice = form(scriptForm('/tmp'), file);
  twice.append('file', new Blob(['second']), 'y.sh');
  assert.deepEqual(await fieldsOf(twice), ['file']);
  const other = form(scriptForm('/tmp'), file);
  other.append('picture', new Blob(['second']), 'y.png');
  assert.deepEqual(await fieldsOf(other), ['picture']);
  const evil = gzipSync(tar({ path: 'update.sh', body: 'x' }, { path: '../evil', body: 'x' }));
  const problem = await refused(await upload(form(tarForm, { name: 'e.tar.gz', bytes: evil })), 400);
  assert.match(problem.detail ?? '', /"\.\.\/evil"/);
  assert.deepEqual([stored(), arriving()], [[], []]);
});

test('the limit is on the real bytes, whatever size is claimed', async () => {
  const limit = 10 * 1024 * 1024;
  const bytes = Buffer.alloc(limit - 1, 'x');
  const made = await accepted(await upload(form(scriptForm('/tmp'), { name: 'big.sh', bytes })));
  assert.equal(made.SizeBytes, limit - 1);
  await remove(made.ArtifactId);
  for (const size of [limit, limit + 600_000, 3 * limit]) {
    const data = form({ ...scriptForm('/tmp'), size: '1' }, { name: 'big.sh', bytes: Buffer.alloc(size, 'x') });
    const response = await upload(data);
    assert.equal(response.headers.get('connection'), 'close');
    assert.match((await refused(response, 413)).detail ?? '', /smaller than 10 MB/);
  }
  assert.deepEqual([stored(), arriving()], [[], []]);
});

test('full storage refuses, says what to delete, and cannot be overrun by uploads at the same time', async () => {
  const bytes = Buffer.alloc(6 * 1024 * 1024, 'x');
  const made = await Promise.all(
    Array.from({ length: 6 }, () => upload(form(scriptForm('/tmp'), { name: 'big.sh', bytes }))),
  );
  const good = made.filter(({ status }) => status === 200);
  assert.equal(good.length, 4, '25 MB hold four times 6 MB');
  for (const response of made.filter(({ status }) => status !== 200))
    assert.match((await refused(response, 403)).detail ?? '', /Delete artifacts.*The largest is big\.sh/);
  assert.equal(stored().length, 4);
  assert.deepEqual(arriving(), []);
  const account = (await (await service.call('GET', '/v1/account')).json()) as Record<string, number>;
  assert.equal(account['ArtifactBytesUsed'], 4 * bytes.length);
  for (const response of good) await remove(((await response.json()) as Artifact).ArtifactId);
  await remove((await accepted(await upload(form(scriptForm('/tmp'), { name: 'fits.sh', bytes })))).ArtifactId);
});

/** Sends raw bytes and returns everything until the connection ends. */
async function raw(head: string, ...parts: (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
  socket.write(
    `POST /v1/artifact HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\n${head}\r\n\r\n`,
  );
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return answer;
}
const partOf = (disposition: string, body: string) =>
  `--B\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${body}`;

test('what is no form, or a broken one, is refused', async () => {
  for (const type of ['application/json', 'multipart/form-data', 'multipart/mixed; boundary=B'])
    assert.match(await raw(`Content-Type: ${type}\r\nContent-Length: 2`, '{}'), /^HTTP\/1\.1 415 /, type);
  const head = 'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: ';
  const cut = partOf('name="file"; filename="x.sh"', 'echo hi');
  assert.match(await raw(`${head}${cut.length}`, cut), /^HTTP\/1\.1 400 .*\r\n\r\n.*cut off or damaged/s);
  const long = `${partOf('name="version"', 'v'.repeat(70_000))}\r\n--B--\r\n`;
  assert.match(await raw(`${head}${long.length}`, long), /^HTTP\/1\.1 400 .*version is too long/s);
  const many = `${Array.from({ length: 30 }, (_, index) => partOf(`name="f${index}"`, 'x')).join('\r\n')}\r\n--B--\r\n`;
  assert.match(await raw(`${head}${many.length}`, many), /^HTTP\/1\.1 400 .*f0 is no field of an upload/s);
  assert.deepEqual([stored(), arriving()], [[], []]);
});

test('an upload that its sender gives up leaves nothing', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/artifact HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n` +
      'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 5000000\r\n\r\n' +
      partOf('name="file"; filename="x.sh"', 'x'.repeat(100_000)),
  );
  await until('the upload to arrive', () => arriving().length === 1);
  socket.destroy();
  await until('the upload to be removed', () => arriving().length === 0);
  assert.deepEqual(stored(), []);
});

test('what a crash left behind is swept at the next start, and artifacts survive', async () => {
  const first = await startTestService();
  const made = await accepted(await upload(form(tarForm, { name: 'a.tar.gz', bytes: PACKED }), first));
  await first.close();
  const folder = path.join(first.dataDir, 'artifacts');
  writeFileSync(path.join(folder, 'arriving/half'), 'half an upload');
  if (!first.s3) writeFileSync(path.join(folder, 'orphan'), 'its row was never written');
  const second = await startTestService({}, first.dataDir);
  assert.deepEqual([stored(second), arriving(second)], [[made.ArtifactId], []]);
  assert.equal((await accepted(await second.call('GET', `/v1/artifact/${made.ArtifactId}`))).Sha256, made.Sha256);
  await second.end();
});

test('a download link opens its one artifact, for its time, and nothing else', async () => {
  const made = await accepted(await upload(form(tarForm, { name: "it's größer.tar.gz", bytes: PACKED })));
  const other = await accepted(await upload(form(tarForm, { name: 'b.tar.gz', bytes: PACKED })));
  const link = (command: string) => new URL(/https?:[^']+/.exec(command)?.[0] ?? '');
  const url = link(made.Command);
  assert.equal(url.origin, service.url);

  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), PACKED);
  assert.equal(response.headers.get('content-length'), String(PACKED.length));
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename\*=UTF-8''it%27s%20gr%C3%B6%C3%9Fer/,
  );
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(PACKED.length)]);

  const changed = (change: (url: URL) => void) => {
    const copy = new URL(url);
    change(copy);
    return copy;
  };
  for (const wrong of [
    changed((copy) => (copy.pathname = `/download/${other.ArtifactId}`)),
    changed((copy) => copy.searchParams.set('token', 'AAAA')),
    changed((copy) => copy.searchParams.delete('token')),
    changed((copy) => copy.searchParams.set('expires', '99999999999999')),
    changed((copy) => copy.searchParams.set('job', 'j1')),
    changed((copy) => copy.searchParams.set('token', `${url.searchParams.get('token')?.slice(0, -2)}AA`)),
  ])
    assert.equal((await fetch(wrong)).status, 403, wrong.href);
  const bare = changed((copy) => (copy.search = ''));
  assert.equal((await fetch(bare, { headers: { Authorization: `Bearer ${service.token}` } })).status, 403);
  const token = url.searchParams.get('token') ?? '';
  assert.equal(
    (await service.call('GET', '/v1/artifact', undefined, { Authorization: `Bearer ${token}` })).status,
    401,
  );

  service.clock.offset = 25 * 60 * 60 * 1000;
  const nextDay = await accepted(await service.call('GET', `/v1/artifact/${made.ArtifactId}`));
  assert.notEqual(nextDay.Command, made.Command);
  service.clock.offset = 49 * 60 * 60 * 1000;
  assert.equal((await fetch(url)).status, 403);
  service.clock.offset = 0;
  await remove(made.ArtifactId);
  await remove(other.ArtifactId);
});

test('a download goes on from any byte of the same file', async () => {
  const made = await accepted(await upload(form(tarForm, { name: 'a.tar.gz', bytes: PACKED })));
  const url = new URL(/https?:[^']+/.exec(made.Command)?.[0] ?? '');
  const whole = await fetch(url);
  const etag = whole.headers.get('etag') ?? '';
  assert.deepEqual([whole.headers.get('accept-ranges'), etag], ['bytes', `"${made.Sha256}"`]);
  await whole.arrayBuffer();
  const from = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, range: response.headers.get('content-range'), bytes };
  };
  const size = PACKED.length;
  const rest = { status: 206, range: `bytes 10-${size - 1}/${size}`, bytes: PACKED.subarray(10) };
  assert.deepEqual(await from({ Range: 'bytes=10-' }), rest);
  assert.deepEqual(await from({ Range: 'bytes=10-', 'If-Range': etag }), rest);
  const anew = { status: 200, range: null, bytes: PACKED };
  assert.deepEqual(await from({ Range: 'bytes=10-', 'If-Range': '"another"' }), anew);
  const past = await from({ Range: `bytes=${size}-` });
  assert.deepEqual([past.status, past.range], [416, `bytes */${size}`]);
  const head = await fetch(url, { method: 'HEAD', headers: { Range: 'bytes=10-' } });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(size)]);
  await remove(made.ArtifactId);
});

test("a job's link uses the address its agent dialled, and ends with the job", async () => {
  const made = await accepted(await upload(form(tarForm, { name: 'a.tar.gz', bytes: PACKED })));
  const { db, downloads } = service.context;
  const status = (to: string) =>
    db.write(async (tx) => void (await tx.run('UPDATE jobs SET status = ? WHERE id = ?', to, 'job1')));
  await db.write(async (tx) => {
    await tx.run(
      `INSERT INTO jobs (id, account_id, name, artifact_id, command, status, created) VALUES (?, 1, 'n', ?, '', ?, 0)`,
      'job1',
      made.ArtifactId,
      'Running',
    );
  });
  const origin = service.url.replace('127.0.0.1', 'localhost');
  const artifact = {
    id: made.ArtifactId,
    name: made.Name,
    sha256: made.Sha256 ?? '',
    sizeBytes: made.SizeBytes ?? 0,
    unpackedBytes: 0,
    isScript: false,
    folder: 'app',
    destination: '',
    runCommand: '',
  };
  const command = downloads.commandFor(artifact, { origin, jobId: 'job1' });
  assert.match(command, new RegExp(`'${origin}/download/${made.ArtifactId}\\?job=job1&`));
  assert.equal(command, downloads.commandFor(artifact, { origin, jobId: 'job1' }));
  assert.equal((await run(command)).code, 6);
  await status('Succeeded');
  assert.match((await run(command)).stderr, /Cannot download/);
  await remove(made.ArtifactId);
});

test("another account's artifact is not there", async () => {
  const made = await accepted(await upload(form(tarForm, { name: 'a.tar.gz', bytes: PACKED })));
  await service.context.db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 1, 1, 0)`);
    await tx.run('UPDATE artifacts SET account_id = 2');
  });
  await refused(await service.call('GET', `/v1/artifact/${made.ArtifactId}`), 404);
  await refused(await remove(made.ArtifactId), 404);
  assert.deepEqual(await (await service.call('GET', '/v1/artifact')).json(), []);
  for (const id of ['.', '..', '%2e%2e', '']) await refused(await service.call('DELETE', `/v1/artifact/${id}`), 404);
});
