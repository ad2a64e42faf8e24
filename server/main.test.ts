// The service as a process: killed, started twice, started with errors.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import { endProcesses, TestProcess } from '../scripts/test-process.ts';

const TOKEN = 'token-of-the-process-tests';
let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-main-'));
});
afterEach(endProcesses);
after(() => rmSync(folder, { recursive: true }));

const run = (file: string, args: string[], env: Record<string, string>) =>
  new TestProcess([`server/${file}`, ...args], {
    env: { HOST: '127.0.0.1', PORT: '0', DATA_DIR: path.join(folder, 'data'), ...env },
  });
async function start(env: Record<string, string>): Promise<{ program: TestProcess; url: string }> {
  const program = run('main.ts', [], env);
  await program.line(/^Data:/);
  return { program, url: /running at (\S+)/.exec(program.printed)?.[1] ?? '' };
}
/** Runs to the end. */
async function outcome(file: string, args: string[], env: Record<string, string> = {}) {
  const program = run(file, args, env);
  return { code: await program.ended, output: program.printed };
}
const authorization = { Authorization: `Bearer ${TOKEN}` };

test('what was acknowledged is there after kill -9', async () => {
  const env = { DATA_DIR: path.join(folder, 'killed'), AUTH_TOKEN: TOKEN };
  const acknowledged = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const { program, url } = await start(env);
    const enough = acknowledged.size + 40;
    const clients = Array.from({ length: 8 }, async () => {
      try {
        for (;;) {
          const response = await fetch(`${url}/v1/devices`, {
            method: 'POST',
            headers: authorization,
            body: JSON.stringify({ DeviceName: 'd', DeviceGroup: '' }),
          });
          assert.equal(response.status, 200);
          acknowledged.add(((await response.json()) as Device).DeviceId);
          if (acknowledged.size >= enough) program.child.kill('SIGKILL');
        }
      } catch (cause) {
        assert.ok(cause instanceof TypeError, String(cause)); // fetch failed: the service has ended
      }
    });
    await Promise.all(clients);
  }
  const { url } = await start(env);
  const response = await fetch(`${url}/v1/devices/1/1000`, { headers: authorization });
  const { Devices, TotalNumDevices } = (await response.json()) as { Devices: Device[]; TotalNumDevices: number };
  const there = new Set(Devices.map(({ DeviceId }) => DeviceId));
  assert.equal(TotalNumDevices, there.size);
  assert.ok(acknowledged.size >= 120);
  for (const id of acknowledged) assert.ok(there.has(id), id);
});

test('the first start makes a token and prints it, later ones do not; each prints a sign-in link', async () => {
  const env = { DATA_DIR: path.join(folder, 'first') };
  const first = await start(env);
  const token = /^Token: +(\S+)$/m.exec(first.program.printed)?.[1] ?? '';
  assert.match(first.program.printed, new RegExp(`^Sign in: ${first.url}/sign-in#code=\\S{22,}$`, 'm'));
  assert.equal(await first.program.end('SIGTERM'), 0, 'stops in order');
  const second = await start(env);
  assert.doesNotMatch(second.program.printed, /Token:/);
  assert.match(second.program.printed, /^Sign in: /m);
  const response = await fetch(`${second.url}/v1/account`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200);

  // `npm run token`, beside the running service.
  const made = await outcome('token.ts', ['make', 'another', 'one'], env);
  const another = made.output.split('\n')[0] ?? '';
  const ask = () => fetch(`${second.url}/v1/account`, { headers: { Authorization: `Bearer ${another}` } });
  assert.equal((await ask()).status, 200);
  const listed = await outcome('token.ts', [], env);
  assert.match(listed.output, /another one/);
  assert.ok(!listed.output.includes(another) && !listed.output.includes(token));
  const id =
    listed.output
      .split('\n')
      .find((line) => line.includes('another one'))
      ?.split(' ')[0] ?? '';
  assert.equal((await outcome('token.ts', ['revoke', id], env)).code, 0);
  assert.equal((await ask()).status, 401);
  assert.equal((await outcome('token.ts', ['revoke', id], env)).code, 1);
});

test('a start after a crash says what it found; one after a stop does not', async () => {
  const env = { DATA_DIR: path.join(folder, 'crashed'), AUTH_TOKEN: TOKEN };
  const first = await start(env);
  assert.doesNotMatch(first.program.printed, /did not stop in order/);
  await fetch(`${first.url}/v1/devices`, {
    method: 'POST',
    headers: authorization,
    body: JSON.stringify({ DeviceName: 'd', DeviceGroup: '' }),
  });
  await first.program.end('SIGKILL');
  const second = await start(env);
  assert.match(
    second.program.printed,
    /^The service did not stop in order .* logBytesRecovered=[1-9]\d* devicesMarkedOffline=0 tunnelsMarkedDown=0 runningJobsToBeReported=0$/m,
  );
  assert.equal(await second.program.end('SIGTERM'), 0);
  assert.match(second.program.printed, /^Stopping\.$/m);
  const third = await start(env);
  assert.doesNotMatch(third.program.printed, /did not stop in order/);
});

test('LOG_FORMAT=json: each line is an event, and none holds a secret', async () => {
  const program = run('main.ts', [], { DATA_DIR: path.join(folder, 'json'), LOG_FORMAT: 'json' });
  await program.line(/running/);
  assert.equal(await program.end(), 0);
  const events = program.printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; level: string; message: string });
  assert.deepEqual(
    events.map(({ level, message }) => `${level} ${message}`),
    ['info Muster is running.', 'info Stopping.', 'info Stopped.'],
  );
  assert.doesNotMatch(program.printed, /code=|mut_|muc_/);
  const refused = await outcome('main.ts', [], { LOG_FORMAT: 'json', PORT: 'http' });
  assert.match((JSON.parse(refused.output) as { message: string }).message, /^PORT is "http"/);
});

test('beside the running service, sessions are listed and ended, and links made', async () => {
  const env = { DATA_DIR: path.join(folder, 'sessions'), AUTH_TOKEN: TOKEN };
  const { url, program } = await start(env);
  const signIn = async (body: object) => {
    const response = await fetch(`${url}/auth/session`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  const isIn = async (Cookie: string) => (await fetch(`${url}/v1/account`, { headers: { Cookie } })).status === 200;
  const token = (...args: string[]) => outcome('token.ts', args, env);
  const printed = /#code=(\S+)/;

  const link = await token('link');
  assert.equal((await signIn({ Code: printed.exec(program.printed)?.[1] })).status, 401, 'the one before has ended');
  const [one, other] = [await signIn({ Code: printed.exec(link.output)?.[1] }), await signIn({ Token: TOKEN })];
  const { output: listed } = await token('sessions');
  const row = listed.split('\n').find((line) => line.endsWith('sign-in link'));
  assert.match(row ?? '', /127\.0\.0\.1/);
  assert.match(listed, /token to.*AUTH_TOKEN/);
  assert.ok(!listed.includes(TOKEN) && !listed.includes(one.cookie.split('=')[1] ?? 'none'));
  assert.equal((await token('end', row?.split(' ')[0] ?? '')).code, 0);
  assert.deepEqual([await isIn(one.cookie), await isIn(other.cookie)], [false, true]);
  assert.match((await token('end', 'all')).output, /Signed out: 1/);
  assert.equal(await isIn(other.cookie), false);
  assert.equal((await token('end', 'nobody')).code, 1);
  assert.match((await token('sessions')).output, /Nobody is signed in/);
  assert.equal((await token('constructor')).code, 1);
});

test('a second service on the same folder is refused, and does the first no harm', async () => {
  const env = { DATA_DIR: path.join(folder, 'shared'), AUTH_TOKEN: TOKEN };
  const { url } = await start(env);
  const second = await outcome('main.ts', [], env);
  assert.equal(second.code, 1);
  assert.match(second.output, /^Another Muster service is using .*shared.*DATA_DIR\.\n$/);
  assert.equal((await fetch(`${url}/v1/account`, { headers: authorization })).status, 200);
});

test(
  'the last few open files are left for saying that there are no more',
  { skip: process.platform !== 'linux' },
  async () => {
    const limited = new TestProcess(['-c', 'ulimit -n 80; exec "$0" server/main.ts', process.execPath], {
      command: 'sh',
      env: { PORT: '0', DATA_DIR: path.join(folder, 'limited'), AUTH_TOKEN: TOKEN },
    });
    await limited.line(/^Data:/);
    const { hostname, port } = new URL(/running at (\S+)/.exec(limited.printed)?.[1] ?? '');
    const open: Socket[] = [];
    let answer = '';
    while (!/ 503 /.test(answer)) {
      assert.ok(open.length < 80, 'a connection was broken off before one was refused');
      const socket = connect(Number(port), hostname).on('error', () => {});
      open.push(socket);
      socket.write(`GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
      answer = String(await once(socket, 'data'));
    }
    assert.match(answer, /application\/problem\+json/);
    for (const socket of open) socket.destroy();
    assert.doesNotMatch(limited.printed, /\n +at /);
  },
);

test('what cannot start says so in one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const cases: [env: Record<string, string>, says: RegExp][] = [
    [{ PORT: String(port) }, new RegExp(`^Port ${port} on 127.0.0.1 is in use: .*PORT\\.$`)],
    [{ PORT: 'http' }, /^PORT is "http", but /],
    [{ HOST: '192.0.2.1' }, /^HOST is "192.0.2.1", which is not an address of this machine\.$/],
    [{ DATA_DIR: path.join(import.meta.filename, 'inside-a-file') }, /^DATA_DIR is /],
    [{ TLS_CERT: import.meta.filename, TLS_KEY: import.meta.filename }, /^TLS_CERT and TLS_KEY do not hold /],
  ];
  for (const [env, says] of cases) {
    const { code, output } = await outcome('main.ts', [], env);
    assert.equal(code, 1, output);
    const lines = output.trimEnd().split('\n');
    assert.deepEqual([lines.length, says.test(lines[0] ?? '')], [1, true], output);
  }
  taken.close();
  const nothing = await outcome('token.ts', [], { DATA_DIR: path.join(folder, 'nothing') });
  assert.deepEqual([nothing.code, /start the service once/.test(nothing.output)], [1, true]);
});

test('UPSTREAM_TOKEN of an earlier version does not fail the start', async (t) => {
  const env = { DATA_DIR: path.join(folder, 'unused-token'), UPSTREAM_TOKEN: 'two words' };
  const { program } = await start({ ...env, UPSTREAM_URL: 'http://127.0.0.1:9' });
  t.after(() => program.child.kill('SIGKILL'));
  assert.equal(program.printed.match(/UPSTREAM_TOKEN is no longer used/g)?.length, 1);
  assert.ok(!program.printed.includes('two words'));
});
