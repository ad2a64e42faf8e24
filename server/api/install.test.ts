// The line that users paste on a device, really run: no terminal, a separate home folder, and a replacement for the
// agent (which has its own tests) that shows how it was started.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { RUNTIMES_PATH, runtimeName } from '#/contract/agent-link.ts';
import { until } from '../../scripts/test-process.ts';
import type { Env } from '../http/implement.ts';
import { openPublishedAgent, requireProgram } from '../agents/published-agent.ts';
import { openPublishedRuntimes } from '../agents/published-runtimes.ts';
import { installRoutes } from './install.ts';

/** `does`: what this build does instead of connecting. */
const agent = (version: string, does = '') => `#!/usr/bin/env node
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
const options = { server: { type: 'string' }, 'key-file': { type: 'string' }, 'enrol-key-file': { type: 'string' }, data: { type: 'string' }, config: { type: 'string' }, 'allow-tunnels': { type: 'string' }, version: { type: 'boolean' } };
const { values } = parseArgs({ options });
if (values['allow-tunnels'] === 'wrong') { console.error('That is no list.'); process.exit(1); }
if (values.version) { console.log('${version}'); process.exit(0); }
const enrolKey = values['enrol-key-file'];
const own = values.data + '/key';
mkdirSync(values.data, { recursive: true });
if (enrolKey && existsSync(enrolKey)) {
  writeFileSync(own, 'own-' + readFileSync(enrolKey, 'utf8'));
  rmSync(enrolKey);
}
const key = readFileSync(values['key-file'] ?? own, 'utf8').trim();
if (key === 'refused') { console.error('The service refused the key.'); process.exit(2); }
mkdirSync(values.data, { recursive: true });
const { pid, env } = process;
appendFileSync(values.data + '/starts', JSON.stringify({ pid, version: '${version}', key, server: values.server, umask: process.umask(), secret: env.DEVICE_KEY ?? '', allows: env.MUSTER_ALLOW_TUNNELS ?? '', config: values.config && readFileSync(values.config, 'utf8'), proxy: env.http_proxy && [env.http_proxy, env.https_proxy, env.no_proxy] }) + '\\n');
setInterval(() => {}, 1000);
process.on('SIGUSR2', () => process.exit(4));
${does || "writeFileSync(env.MUSTER_INSTALL + '/connected', '" + version + "\\n'); console.log('Connected to ' + values.server + ' as \"x\".');"}
`;
const AGENT = agent('1.0.0');
/** The same for the agent of plain sh. */
const shAgent = (version: string) => `#!/bin/sh
[ "$1" != --version ] || { echo ${version}; exit; }
key=$(cat "$4")
[ "$key" != refused ] || exit 2
mkdir -p "$6"
echo "$$ ${version} $key $2" >>"$6/starts"
trap 'exit 0' TERM
echo ${version} >"$MUSTER_INSTALL/connected"
while :; do sleep 1 & wait "$!"; done
`;
const SH_AGENT = shAgent('1.0.0');

// A name that breaks scripts with wrong quoting.
const home = mkdtempSync(path.join(tmpdir(), "it's a $(home) "));
const base = path.join(home, 'muster');
const program = path.join(home, 'agent.mjs');
const published = openPublishedAgent(program);
const shProgram = path.join(home, 'agent.sh');
const publishedSh = openPublishedAgent(shProgram);
const runtimesFolder = path.join(home, 'runtimes');
const runtimes = openPublishedRuntimes(runtimesFolder);
const UPDATE_KEY = `${'A'.repeat(58)}+=`;
const updateKey = { publicKey: UPDATE_KEY, changes: [], earlier: [], sign: () => ({ statement: '', signature: '' }) };
const signed = async () => ({ program: requireProgram(published), version: '', sequence: 7, signed: updateKey.sign() });
const context = { publicUrl: '', published, publishedSh, runtimes, signer: { key: updateKey, signed } };
const app = new Hono<Env>();
installRoutes(app, context);
// The machine's own crontab must be neither read nor changed.
const bin = path.join(home, 'bin');
const table = path.join(home, 'crontab');
const CRONTAB = `#!/bin/sh
case $1 in
  -l) [ ! -e "$HOME/crontab.fault" ] || { cat "$HOME/crontab.fault" >&2; exit 1; }
      cat "$HOME/crontab" 2>/dev/null || { echo 'no crontab for x' >&2; exit 1; } ;;
  -) cat >"$HOME/crontab" ;;
esac
`;
const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
let url = '';
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => {
  context.publicUrl = url;
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, 'crontab'), CRONTAB, { mode: 0o755 });
  rmSync(table, { force: true });
  rmSync(runtimesFolder, { recursive: true, force: true });
  publish(AGENT);
  writeFileSync(shProgram, SH_AGENT);
});
afterEach(async () => {
  for (const folder of folders()) {
    const control = path.join(folder, 'muster-agent');
    if (existsSync(control)) await sh('sh "$CONTROL" remove', { CONTROL: control });
    else rmSync(folder, { recursive: true });
  }
});

const publish = (text: string) => writeFileSync(program, text);
const node = path.dirname(process.execPath);
interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}
/** Runs a line in a session of its own, without a terminal for questions. */
function sh(line: string, env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: home,
      detached: true,
      env: { PATH: `${bin}:${node}:${process.env['PATH']}`, HOME: home, MUSTER_HOME: base, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
const paste = (key: string, more = '', env: Record<string, string> = {}) =>
  sh(`curl -fsSL ${url}/install.sh | ${key && `DEVICE_KEY=${key} `}sh${more}`, env);
const folders = () => (existsSync(base) ? readdirSync(base).map((name) => path.join(base, name)) : []);
const starts = (folder: string) =>
  readFileSync(path.join(folder, 'data/starts'), 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          pid: number;
          version: string;
          key: string;
          server: string;
          umask: number;
          secret: string;
          allows: string;
          config?: string;
          proxy?: (string | null)[];
        },
    );
/** Zombies do not count. */
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/status') || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
/** Waits for the end of a process that has closed everything. */
const ended = (pid: number) => until(`the end of process ${pid}`, () => !alive(pid));
const mode = (file: string) => statSync(file).mode & 0o777;

test('the pasted line installs and starts the agent, and its own program stops, starts and removes it', async () => {
  const ran = await paste('dk_Ab-9');
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.match(
    ran.stdout,
    /muster-agent' status \| stop \| start \| restart \| tunnel ADDRESS \| allow-tunnels LIST \| back \| remove/,
  );
  assert.doesNotMatch(ran.stdout, /dk_Ab-9/);
  const [folder = ''] = folders();
  assert.match(path.basename(folder), /^[0-9a-f]{12}$/);
  assert.equal(readFileSync(path.join(folder, 'key'), 'utf8'), 'dk_Ab-9\n');
  assert.deepEqual([mode(folder), mode(path.join(folder, 'key'))], [0o700, 0o600]);
  const [first] = starts(folder);
  const umask = Number.parseInt((await sh('umask')).stdout, 8);
  assert.deepEqual(first, {
    pid: first?.pid,
    version: '1.0.0',
    key: 'dk_Ab-9',
    server: url,
    umask,
    secret: '',
    allows: 'none',
  });
  assert.ok(alive(first?.pid ?? 0));

  const control = (verb: string) => sh(`sh "$CONTROL" ${verb}`, { CONTROL: path.join(folder, 'muster-agent') });
  assert.match((await control('status')).stdout, /^running, process \d+/);
  assert.equal((await control('start')).code, 0);
  assert.equal(starts(folder).length, 1, 'it is not started twice');
  assert.equal((await control('stop')).code, 0);
  await ended(first?.pid ?? 0);
  assert.equal((await control('status')).code, 3);
  assert.equal((await control('stop')).code, 0);
  assert.equal((await control('dance')).code, 64);
  const gone = await control('remove');
  assert.match(gone.stdout, /removed/);
  assert.ok(!existsSync(folder));
});

test('with an enrolment key the device keeps the key that it got for it, through restarts and renewals', async () => {
  const ran = await sh(`curl -fsSL ${url}/install.sh | ENROL_KEY=mek_Ab-9 sh`);
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.doesNotMatch(ran.stdout, /mek_Ab-9/);
  const [folder = ''] = folders();
  assert.ok(!existsSync(path.join(folder, 'enrol-key')));
  const control = (verb: string) => sh(`sh "$CONTROL" ${verb}`, { CONTROL: path.join(folder, 'muster-agent') });
  await control('restart');
  publish(agent('2.0.0'));
  assert.equal((await paste('', ' -s -- --update')).code, 0);
  assert.deepEqual(
    starts(folder).map(({ version, key }) => [version, key]),
    ['1.0.0', '1.0.0', '2.0.0'].map((version) => [version, 'own-mek_Ab-9']),
  );
});

test('its tunnels are named in a file beside it, which outlives a renewal', async () => {
  await paste('one');
  const [folder = ''] = folders();
  const file = path.join(folder, 'tunnels.json');
  assert.equal(starts(folder)[0]?.config, undefined);
  const control = (args: string) => sh(`sh "$CONTROL" ${args}`, { CONTROL: path.join(folder, 'muster-agent') });
  const said = await control('tunnel http://127.0.0.1:3000 tcp://127.0.0.1:22');
  assert.deepEqual([said.code, said.stderr], [0, '']);
  assert.deepEqual(JSON.parse(said.stdout), { tunnels: ['http://127.0.0.1:3000', 'tcp://127.0.0.1:22'] });
  // It starts in the background, and slower than this.
  await until('start 2', () => starts(folder).length >= 2);
  assert.equal(starts(folder)[1]?.config, said.stdout);
  assert.equal(mode(file), 0o600);

  // Existing content is unchanged, and no entry is added twice.
  const guarded = { to: 'http://127.0.0.1:3000', login: 'anna:secret' };
  writeFileSync(file, JSON.stringify({ tunnels: [guarded] }));
  assert.equal((await control('tunnel http://127.0.0.1:3000')).code, 0);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { tunnels: [guarded] });
  await until('start 3', () => starts(folder).length >= 3);
  for (const wrong of ['3000', "'http://x:1;reboot'", 'ftp://x:1']) {
    const refused = await control(`tunnel ${wrong}`);
    assert.equal(refused.code, 1, wrong);
    assert.match(refused.stderr, /is no address like/);
  }
  writeFileSync(file, 'half a {');
  assert.equal((await control('tunnel tcp://127.0.0.1:22')).code, 1);
  assert.equal(starts(folder).length, 3, 'and the agent goes on');
  writeFileSync(file, JSON.stringify({ tunnels: [guarded] }));
  await paste('one');
  assert.deepEqual(JSON.parse(starts(folder).at(-1)?.config ?? ''), { tunnels: [guarded] });
});

test('it allows the tunnels that were chosen on the device, and no update changes that', async () => {
  assert.equal((await paste('one', ' -s -- --allow-tunnels loopback')).code, 0);
  const [folder = ''] = folders();
  const allowed = () => starts(folder).at(-1)?.allows;
  const control = (args: string) => sh(`sh "$CONTROL" ${args}`, { CONTROL: path.join(folder, 'muster-agent') });
  assert.equal(allowed(), 'loopback');
  assert.equal((await control('allow-tunnels')).stdout, 'loopback\n');
  publish(agent('2.0.0'));
  const widened = await paste('', ' -s -- --update --allow-tunnels 10.0.0.1:80');
  assert.equal(widened.code, 1);
  assert.match(widened.stderr, /--update leaves what an agent allows as it is/);
  const renewed = await paste('', ' -s -- --update');
  assert.equal(renewed.code, 0, renewed.stderr);
  assert.deepEqual([starts(folder).at(-1)?.version, allowed()], ['2.0.0', 'loopback']);
  // The agent that replaces itself starts with the same.
  process.kill(starts(folder).at(-1)?.pid ?? 0, 'SIGUSR2');
  await until('start 3', () => starts(folder).length >= 3);
  assert.equal(allowed(), 'loopback');

  const changed = await control('allow-tunnels 10.0.0.1:80,loopback');
  assert.equal(changed.code, 0, changed.stderr);
  await until('start 4', () => starts(folder).length >= 4);
  assert.equal(allowed(), '10.0.0.1:80,loopback');
  const wrong = await control('allow-tunnels wrong');
  assert.deepEqual([wrong.code, wrong.stderr], [1, 'That is no list.\n']);
  assert.equal((await control('allow-tunnels')).stdout, '10.0.0.1:80,loopback\n');
  const failed = await paste('one', ' -s -- --allow-tunnels wrong');
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /That is no list/);
  assert.equal(starts(folder).length, 4, 'and the agent goes on');
  // Installed again without a choice, it allows nothing.
  assert.equal((await paste('one')).code, 0);
  assert.equal(allowed(), 'none');
});

test('running it again renews the one installation; another key is another one', async () => {
  await sh(`wget -qO- ${url}/install.sh | DEVICE_KEY=one sh || curl -fsSL ${url}/install.sh | DEVICE_KEY=one sh`);
  const [folder = ''] = folders();
  const [first] = starts(folder);
  publish(`${AGENT}// newer\n`);
  assert.equal((await paste('one')).code, 0);
  assert.deepEqual(folders(), [folder]);
  await ended(first?.pid ?? 0);
  assert.ok(alive(starts(folder)[1]?.pid ?? 0));
  assert.match(readFileSync(path.join(folder, 'agent.mjs'), 'utf8'), /newer/);
  assert.equal((await paste('two')).code, 0);
  assert.equal(folders().length, 2);
});

test('an update that fails leaves the agent running that was there', async () => {
  await paste('one');
  const [folder = ''] = folders();
  const [first] = starts(folder);
  const alike = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const others = ['muster-agent', 'settings.sh', 'key'].map(alike);
  const untouched = async (what: RegExp) => {
    const { code, stderr } = await paste('one', '', { MUSTER_TRIAL_SECONDS: '1' });
    assert.equal(code, 1, stderr);
    assert.match(stderr, what);
    assert.deepEqual([starts(folder).length, alive(first?.pid ?? 0)], [1, true], 'it was not even restarted');
  };
  rmSync(program);
  await untouched(/Cannot fetch/);
  publish('<html>Sign in</html>');
  await untouched(/did not answer with an agent that runs here/);
  publish("import 'node:nothing';");
  await untouched(/did not answer with an agent that runs here: .*node:nothing/);
  // The download is not what the service announced.
  const program2 = () => ({ ...published.program()!, sha256: 'a'.repeat(64) });
  context.published = { program: program2 };
  publish(agent('2.0.0'));
  const ran = sh(`curl -fsSL ${url}/install.sh >install.sh; DEVICE_KEY=one sh install.sh`);
  const { code, stderr } = await ran.finally(() => (context.published = published));
  assert.deepEqual([code, starts(folder).length], [1, 1]);
  assert.match(stderr, /another file than the service announced \(SHA-256 [0-9a-f]{64}, not a{64}\)/);

  // It runs, but does not connect.
  for (const [does, seconds, why] of [
    ['process.exit(7);', '60', /exit code 7 before it reached/],
    [';', '1', /did not reach http:\S+ within 1 seconds/],
  ] as const) {
    publish(agent('2.0.0', does));
    const { pid: old } = starts(folder).at(-1) ?? {};
    const failed = await paste('one', '', { MUSTER_TRIAL_SECONDS: seconds });
    assert.equal(failed.code, 1, failed.stdout);
    assert.match(failed.stderr, why);
    assert.match(failed.stderr, /Agent 2\.0\.0 was given up[^]*The one before it goes on/);
    assert.deepEqual([alike('agent.mjs'), ...['muster-agent', 'settings.sh', 'key'].map(alike)], [AGENT, ...others]);
    const again = await until('the agent of before', () => {
      const { version, pid = 0 } = starts(folder).at(-1) ?? {};
      return version === '1.0.0' && pid !== old && pid;
    });
    assert.ok(alive(again));
    assert.match(alike('update-failed'), /^2\.0\.0\n[0-9a-f]{64}\nit /);
  }

  publish(agent('2.0.0'));
  const good = await paste('one');
  assert.deepEqual([good.code, good.stderr], [0, '']);
  assert.match(good.stdout, /Agent 2\.0\.0 has replaced the one before it/);
  assert.deepEqual([starts(folder).at(-1)?.version, existsSync(path.join(folder, 'update-failed'))], ['2.0.0', false]);
  const back = await sh('sh "$CONTROL" back', { CONTROL: path.join(folder, 'muster-agent') });
  assert.equal(back.code, 0, back.stderr);
  await until('the agent of before', () => starts(folder).at(-1)?.version === '1.0.0');
});

test('an agent that replaced itself is started again, and given up where it does not reach the service', async () => {
  await paste('one');
  const [folder = ''] = folders();
  const failure = path.join(folder, 'update-failed');
  // As the agent itself does it.
  const replaceBy = async (text: string) => {
    const { pid = 0 } = starts(folder).at(-1) ?? {};
    await until(
      'the number of its process',
      () => readFileSync(path.join(folder, 'child.pid'), 'utf8').trim() === String(pid),
    );
    mkdirSync(path.join(folder, 'previous'), { recursive: true });
    copyFileSync(path.join(folder, 'agent.mjs'), path.join(folder, 'previous/agent.mjs'));
    writeFileSync(path.join(folder, 'trial'), `9.0.0\n${'b'.repeat(64)}\n`);
    writeFileSync(path.join(folder, 'agent.mjs'), text);
    process.kill(pid, 'SIGUSR2');
    await ended(pid);
  };
  await replaceBy(agent('2.0.0'));
  await until('the end of the trial', () => !existsSync(path.join(folder, 'trial')));
  await sh('sh "$CONTROL" restart', { CONTROL: path.join(folder, 'muster-agent'), MUSTER_TRIAL_SECONDS: '1' });
  await until('start 3', () => starts(folder).length === 3);
  await replaceBy(agent('3.0.0', ';'));
  const reason = await until('the failure', () => existsSync(failure) && readFileSync(failure, 'utf8'));
  assert.equal(reason, `9.0.0\n${'b'.repeat(64)}\nit did not reach ${url} within 1 seconds\n`);
  // On a slow machine 3.0.0 is given up before it has written anything.
  const others = () => starts(folder).flatMap(({ version }) => (version === '3.0.0' ? [] : [version]));
  await until('the agent of before', () => others().length === 4);
  assert.deepEqual(others(), ['1.0.0', '2.0.0', '2.0.0', '2.0.0']);
});

test('without systemd it is started again when it ends, and cron starts both again', async () => {
  writeFileSync(table, '0 4 * * * backup\n');
  const { stdout } = await paste('one');
  assert.match(stdout, /cron starts it with the machine, and within a minute when it is gone/);
  const [folder = ''] = folders();
  const control = (verb: string) => sh(`sh "$CONTROL" ${verb}`, { CONTROL: path.join(folder, 'muster-agent') });
  const lines = readFileSync(table, 'utf8').trimEnd().split('\n');
  assert.deepEqual([lines.length, lines[0]], [3, '0 4 * * * backup']);
  assert.match(lines[1] ?? '', /^@reboot sh '.*muster-agent' start >\/dev\/null 2>&1$/);
  const [, every = ''] = /^\* \* \* \* \* (.*)$/.exec(lines[2] ?? '') ?? [];
  await paste('one');
  assert.deepEqual(readFileSync(table, 'utf8').trimEnd().split('\n'), lines, 'the lines come once');

  const last = () => starts(folder).at(-1)?.pid ?? 0;
  const killed = last();
  process.kill(killed, 'SIGKILL');
  await until('another process', () => last() !== killed && alive(last()));
  // Everything was deleted, as after a disk failure. In a crontab "%" is written "\\%".
  const gone = last();
  process.kill(Number(readFileSync(path.join(folder, 'agent.pid'), 'utf8')), 'SIGKILL');
  process.kill(gone, 'SIGKILL');
  await ended(gone);
  const cron = () => sh(every.replaceAll('\\%', '%'));
  await cron();
  await until('another process', () => last() !== gone && alive(last()));
  const count = starts(folder).length;
  await cron();
  await control('stop');
  await cron();
  assert.equal((await control('status')).code, 3, 'what was stopped stays so');
  assert.equal(starts(folder).length, count);
  await control('remove');
  assert.equal(readFileSync(table, 'utf8'), '0 4 * * * backup\n');
});

test('a crontab that cannot be read is left alone, and nothing is promised', async () => {
  writeFileSync(table, '0 4 * * * backup\n');
  writeFileSync(`${table}.fault`, 'You (x) are not allowed to use this program\n');
  const { code, stdout } = await paste('one');
  rmSync(`${table}.fault`);
  assert.equal(code, 0);
  assert.match(stdout, /Nothing starts it again when this machine restarts/);
  assert.equal(readFileSync(table, 'utf8'), '0 4 * * * backup\n');
  await paste('two', ' -s -- --no-cron');
  assert.equal(readFileSync(table, 'utf8'), '0 4 * * * backup\n');
});

test('--update renews every agent of the machine, each with its own key and address', async () => {
  const other = url.replace('127.0.0.1', 'localhost');
  await paste('one');
  await paste('two', ` -s -- --server ${other}`);
  await paste('three');
  const of = (key: string) => folders().find((folder) => starts(folder)[0]?.key === key) ?? '';
  await sh('sh "$CONTROL" stop', { CONTROL: path.join(of('three'), 'muster-agent') });
  publish(agent('2.0.0'));
  const ran = await paste('', ' -s -- --update');
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.deepEqual(
    ['one', 'two'].map((key) => starts(of(key)).at(-1)).map((start) => [start?.key, start?.version, start?.server]),
    [
      ['one', '2.0.0', url],
      ['two', '2.0.0', other],
    ],
  );
  assert.deepEqual(
    starts(of('three')).map(({ version }) => version),
    ['1.0.0'],
    'what was stopped is not started',
  );
  assert.match(readFileSync(path.join(of('three'), 'agent.mjs'), 'utf8'), /2\.0\.0/);
  const none = await paste('', ' -s -- --update', { MUSTER_HOME: path.join(home, 'none') });
  assert.match(none.stderr, /No agent is installed in/);
});

test('in the foreground it runs until a signal ends it', async () => {
  const child = spawn('/bin/sh', ['-c', `curl -fsSL ${url}/install.sh | DEVICE_KEY=fg exec sh -s -- --foreground`], {
    detached: true,
    env: { PATH: `${bin}:${node}:${process.env['PATH']}`, HOME: home, MUSTER_HOME: base },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  await new Promise<void>((resolve) =>
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (said.includes('Connected to')) resolve();
    }),
  );
  assert.match(said, /Ctrl-C ends it/);
  const closed = new Promise((resolve) => child.on('close', resolve));
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await closed;
  await ended(starts(folders()[0] ?? '')[0]?.pid ?? 0);
});

test('a refused key is seen at once', async () => {
  const ran = await paste('refused');
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /The service refused the key\.[^]*did not stay up/);
});

test('what is missing is said in a sentence, and leaves no agent', async () => {
  const errorOf = async (ran: Promise<Ran>) => {
    const { code, stderr } = await ran;
    assert.equal(code, 1, stderr);
    return stderr;
  };
  assert.match(await errorOf(paste('')), /^There is no device key: put DEVICE_KEY=<key>/);
  assert.match(await errorOf(paste("'a b;c'")), /^That is no device key/);
  assert.match(await errorOf(paste('k', ' -s -- --key-file /no/such')), /\/no\/such cannot be read/);
  assert.match(await errorOf(paste('k', ' -s -- --colour')), /no option --colour/);
  assert.match(await errorOf(paste('k', ' -s -- --dir')), /--dir needs a value/);
  assert.match(await errorOf(paste('k', ' -s -- --server ftp://x')), /must begin with http/);
  assert.match(
    await errorOf(paste('k', ' -s -- --server http://127.0.0.1:9')),
    /Cannot fetch http:\/\/127\.0\.0\.1:9\/agent\.mjs/,
  );
  publish('<html>Sign in to the wireless network</html>');
  assert.match(await errorOf(paste('k')), /did not answer with an agent that runs here: SyntaxError/);
  rmSync(program);
  const response = await fetch(`${url}/agent.mjs`);
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '60']);
  assert.match(await response.text(), /npm run build/);
  assert.match(await errorOf(paste('k')), /Cannot fetch/);

  const old = path.join(home, 'old');
  mkdirSync(old);
  const fake = '#!/bin/sh\ncase $2 in *execPath) echo "$0" ;; *) echo 18.19.1 ;; esac\n';
  for (const name of ['node', 'nodejs']) writeFileSync(path.join(old, name), fake, { mode: 0o755 });
  const told = await errorOf(paste('k', '', { PATH: `${old}:${bin}:/usr/bin:/bin` }));
  assert.match(told, /needs Node\.js 20 or newer; this machine has 18\.19\.1/);
  for (const folder of folders()) {
    assert.ok(!existsSync(path.join(folder, 'agent.mjs')));
    rmSync(folder, { recursive: true });
  }
});

test("key from a file, folder of one's own, address of another service", async () => {
  const file = path.join(home, 'a key');
  const folder = path.join(base, 'my "device" %h');
  writeFileSync(file, 'from-file\n');
  const ran = await sh(
    `curl -fsSL ${url}/install.sh | sh -s -- --key-file "$FILE" --dir "$FOLDER" --server http://localhost:${new URL(url).port}/`,
    { FILE: file, FOLDER: folder },
  );
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  const [start] = starts(folder);
  assert.deepEqual([start?.key, start?.server], ['from-file', url.replace('127.0.0.1', 'localhost')]);
});

const trustOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'data/trust.json'), 'utf8')) as unknown;

test('the installed agent gets the key of updates and its Sequence, durable with the rest', async () => {
  await paste('one');
  const [folder = ''] = folders();
  assert.deepEqual(trustOf(folder), { Key: UPDATE_KEY, Sequence: 7 });
  assert.equal(mode(path.join(folder, 'data/trust.json')), 0o600);

  // As another service had installed it, with a newer program.
  const foreign = { Key: `${'B'.repeat(59)}=`, Sequence: 9 };
  writeFileSync(path.join(folder, 'data/trust.json'), `${JSON.stringify(foreign)}\n`);
  const again = await paste('one');
  assert.match(again.stdout, /signs updates with another key than the one this agent trusted before/);
  assert.deepEqual(trustOf(folder), { Key: UPDATE_KEY, Sequence: 7 });
  const back = await sh('sh "$CONTROL" back', { CONTROL: path.join(folder, 'muster-agent') });
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(trustOf(folder), foreign, 'back goes back to what that agent trusted');
});

test('the hash counts however the address of the service is written', async () => {
  const { port } = new URL(url);
  const spelt = [
    `localhost:${port}`,
    `127.0.0.1:${port}//`,
    `127.1:${port}`,
    `LOCALHOST:${port}`,
    `a.localhost:${port}`,
  ];
  const program2 = () => ({ ...published.program()!, sha256: 'a'.repeat(64) });
  context.published = { program: program2 };
  const script = await (await fetch(`${url}/install.sh`)).text();
  context.published = published;
  writeFileSync(path.join(home, 'install.sh'), script);
  for (const address of spelt) {
    const { code, stderr } = await sh(`DEVICE_KEY=k sh install.sh --server http://${address}`);
    assert.equal(code, 1, address);
    assert.match(stderr, /another file than the service announced/, address);
  }
  // One that is installed with another spelling is renewed under that.
  assert.equal((await paste('one', ` -s -- --server http://localhost:${port}`)).code, 0);
  const renewed = await sh('sh install.sh --update');
  assert.equal(renewed.code, 1);
  assert.match(renewed.stderr, /another file than the service announced/);
});

test('plain http from another host is explained, and installs only with --insecure', async () => {
  const other = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  for (const host of ['192.0.2.77', '127.0.0.1.example.com', 'localhost.example.com', '127.0.0.1@192.0.2.77']) {
    const { code, stderr } = await paste('k', ` -s -- --server http://${host}:9`);
    assert.equal(code, 1, host);
    assert.match(stderr, /is plain http: whoever is between[^]*repeat this with --insecure/, host);
    assert.deepEqual(folders(), [], 'it was refused before anything was written');
  }
  const https = await paste('k', ' -s -- --server https://127.0.0.1.example.com:9');
  assert.doesNotMatch(https.stderr, /insecure/);
  for (const folder of folders()) rmSync(folder, { recursive: true });
  if (other === undefined) return;
  const outside = createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(0, other);
  await once(outside, 'listening');
  try {
    const from = `http://${other}:${(outside.address() as AddressInfo).port}`;
    context.publicUrl = from;
    const line = `curl -fsSL ${from}/install.sh | DEVICE_KEY=k sh`;
    const refused = await sh(line);
    assert.deepEqual([refused.code, folders()], [1, []]);
    assert.match(refused.stderr, /is plain http/);
    const accepted = await sh(`${line} -s -- --insecure`);
    assert.deepEqual([accepted.code, accepted.stderr], [0, '']);
    assert.deepEqual(trustOf(folders()[0] ?? ''), { Key: UPDATE_KEY, Sequence: 7 });
    assert.match((await sh(`curl -fsSL ${from}/install.sh | sh -s -- --update`)).stderr, /is plain http/);
    assert.equal((await sh(`curl -fsSL ${from}/install.sh | sh -s -- --update --insecure`)).code, 0);
  } finally {
    outside.close();
    outside.closeAllConnections();
  }
});

test('a download is stopped at its announced size', async () => {
  const script = await (await fetch(`${url}/install.sh`)).text();
  let sent = 0;
  const endless = createServer((_incoming, outgoing) => {
    const more = () => {
      while (!outgoing.destroyed && outgoing.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    outgoing.on('drain', more).on('error', () => undefined);
    more();
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  try {
    writeFileSync(path.join(home, 'install.sh'), script);
    const { port } = endless.address() as AddressInfo;
    const { code, stderr } = await sh(`DEVICE_KEY=k sh install.sh --server http://127.0.0.1:${port}`);
    assert.equal(code, 1);
    assert.match(stderr, /sends more than the \d+ bytes of the agent/);
    assert.ok(sent < 100_000_000);
  } finally {
    endless.close();
    endless.closeAllConnections();
  }
});
test(
  'root does not install where another user could have put a link',
  { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
  async () => {
    const other = 12_345;
    const theirs = path.join(home, 'theirs');
    const victim = path.join(home, 'victim');
    writeFileSync(victim, 'precious');
    mkdirSync(path.join(theirs, 'sub'), { recursive: true });
    for (const name of ['agent.new.mjs', 'settings.sh', 'key.new', 'sub/agent.new.mjs'])
      symlinkSync(victim, path.join(theirs, name));
    for (const name of ['', 'sub']) chownSync(path.join(theirs, name), other, other);
    // In a folder like /tmp a link can be anybody's.
    const shared = path.join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    symlinkSync(theirs, path.join(shared, 'link'));
    lchownSync(path.join(shared, 'link'), other, other);
    const open = path.join(home, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);

    for (const [dir, why] of [
      [theirs, /belongs to another user \(12345\)/],
      [path.join(theirs, 'new/deep'), /belongs to another user/],
      [path.join(shared, 'link'), /belongs to another user/],
      [path.join(shared, 'link/new'), /belongs to another user/],
      [open, /other users may write in/],
      [shared, /other users may write in/],
      [`${home}/x/../theirs`, /without "\.\."/],
    ] as const) {
      const ran = await sh(`curl -fsSL ${url}/install.sh | DEVICE_KEY=k sh -s -- --dir "$FOLDER"`, { FOLDER: dir });
      assert.equal(ran.code, 1, dir);
      assert.match(ran.stderr, why, dir);
    }
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
    assert.deepEqual(readdirSync(theirs).toSorted(), ['agent.new.mjs', 'key.new', 'settings.sh', 'sub']);
    // A folder of root's own in a shared one is safe.
    const own = path.join(shared, 'own');
    const ran = await sh(`curl -fsSL ${url}/install.sh | DEVICE_KEY=k sh -s -- --dir "$FOLDER"`, { FOLDER: own });
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
    await sh('sh "$CONTROL" remove', { CONTROL: path.join(own, 'muster-agent') });

    const update = await sh(`curl -fsSL ${url}/install.sh | sh -s -- --update`, { MUSTER_HOME: path.dirname(theirs) });
    assert.notEqual(update.code, 0);
    assert.match(update.stderr, /belongs to another user/);
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
  },
);

test('with systemd it becomes a unit that leaves jobs running, and is removed with it', async () => {
  const tools = path.join(home, 'systemd');
  const units = path.join(home, 'units');
  mkdirSync(tools);
  mkdirSync(units);
  writeFileSync(path.join(tools, 'id'), '#!/bin/sh\necho 0\n', { mode: 0o755 });
  // Whoever runs the tests, their folders are root's.
  writeFileSync(path.join(tools, 'ls'), '#!/bin/sh\necho drwx------ 2 0 0\n', { mode: 0o755 });
  // Starts and stops the program of the one unit.
  const systemctl = `#!/bin/sh
echo "$*" >>"$HOME/systemd/calls"
case $1 in
  is-system-running) echo degraded; exit 1 ;;
  start) nohup sh "$(echo "$MUSTER_HOME"/*/muster-agent)" run >/dev/null 2>&1 & echo $! >"$HOME/systemd/pid" ;;
  stop) kill "$(cat "$HOME/systemd/pid")"; while kill -0 "$(cat "$HOME/systemd/pid")" 2>/dev/null; do sleep 0.1; done ;;
esac
`;
  writeFileSync(path.join(tools, 'systemctl'), systemctl, { mode: 0o755 });
  const env = { PATH: `${tools}:${bin}:${node}:${process.env['PATH']}`, UNIT_DIR: units };
  const ran = await paste('unit-key', '', env);
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  const [folder = ''] = folders();
  const unit = `muster-agent-${path.basename(folder)}.service`;
  assert.match(ran.stdout, new RegExp(`systemd unit ${unit}`));
  const text = readFileSync(path.join(units, unit), 'utf8');
  assert.match(text, /^KillMode=process$/m);
  assert.match(text, /^RestartPreventExitStatus=2 3$/m);
  assert.ok(text.includes(`ExecStart=/bin/sh "${folder.replaceAll('$', '$$$$')}/muster-agent" run`), text);
  assert.ok(!text.includes('unit-key'));
  const calls = () => readFileSync(path.join(tools, 'calls'), 'utf8');
  for (const call of ['daemon-reload', `enable --quiet ${unit}`, `start ${unit}`])
    assert.ok(calls().includes(call), call);
  assert.equal(starts(folder).length, 1, 'nothing was started beside it');
  assert.ok(!existsSync(table), 'nor is it for cron to start');

  assert.equal((await paste('unit-key', ' -s -- --no-systemd', env)).code, 0);
  assert.ok(!existsSync(path.join(units, unit)));
  assert.equal((await paste('unit-key', '', env)).code, 0);
  await sh('sh "$CONTROL" remove', { ...env, CONTROL: path.join(folder, 'muster-agent') });
  assert.deepEqual([readdirSync(units), existsSync(folder)], [[], false]);
  assert.match(calls(), new RegExp(`stop ${unit}\ndisable ${unit}\n`));
});

test('the proxy of the environment is kept for the agent, readable by its owner only, until it is installed without', async () => {
  const login = "http://anna:it's%20a$(secret)@proxy.example.com:3128";
  const env = { HTTP_PROXY: 'proxy.example.com:8080', https_proxy: login, NO_PROXY: '127.0.0.1,.example.com' };
  const ran = await paste('k', '', env);
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  const [folder = ''] = folders();
  assert.match(ran.stdout, /The agent uses the proxy of this environment, too \(http_proxy, https_proxy\)/);
  assert.doesNotMatch(ran.stdout, /secret/);
  assert.equal(mode(path.join(folder, 'proxy.sh')), 0o600);
  // As cron and a service manager start it: with no such variable.
  const control = (verb: string) => sh(`sh "$CONTROL" ${verb}`, { CONTROL: path.join(folder, 'muster-agent') });
  await control('restart');
  publish(agent('2.0.0'));
  assert.equal((await paste('', ' -s -- --update')).code, 0);
  await control('restart');
  const expected = ['proxy.example.com:8080', login, '127.0.0.1,.example.com'];
  assert.deepEqual(
    starts(folder).map(({ proxy }) => proxy),
    starts(folder).map(() => expected),
  );
  assert.equal((await paste('k')).code, 0);
  assert.equal(starts(folder).at(-1)?.proxy, undefined);
  assert.ok(!existsSync(path.join(folder, 'proxy.sh')));
});

test('the address of the service cannot become code', async () => {
  const canary = path.join(home, 'pwned');
  context.publicUrl = `http://x'; touch '${canary}'; echo '$(touch '${canary}')$&`;
  const script = await (await fetch(`${url}/install.sh`)).text();
  assert.ok(script.startsWith('#!/bin/sh\n'));
  assert.match((await paste('k')).stderr, /may not hold blanks/);
  assert.ok(!existsSync(canary));
});

test('the scripts are plain ASCII: yash refuses all of one with other characters where the locale is C', async () => {
  const script = await (await fetch(`${url}/install.sh`)).text();
  assert.match(script, /^#!\/bin\/sh\n[\n\x20-\x7e]*$/);
  for (const name of readdirSync(path.join(import.meta.dirname, '../../agent/sh')).filter((each) =>
    each.endsWith('.sh'),
  ))
    assert.match(
      readFileSync(path.join(import.meta.dirname, '../../agent/sh', name), 'utf8'),
      /^[\n\x20-\x7e]*$/,
      name,
    );
});

test('half a script does nothing', async () => {
  const script = await (await fetch(`${url}/install.sh`)).text();
  for (const part of [0.3, 0.6, 0.9]) {
    writeFileSync(path.join(home, 'half.sh'), script.slice(0, Math.floor(script.length * part)));
    await sh('DEVICE_KEY=k sh half.sh');
    assert.deepEqual(folders(), []);
  }
});

const shStarts = (folder: string) => readFileSync(path.join(folder, 'data/starts'), 'utf8').trim().split('\n');

test('--sh installs the agent of plain sh, which is controlled and renewed like the other one', async () => {
  const ran = await paste('one', ' -s -- --sh');
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.match(ran.stdout, /muster-agent' status \| stop \| start \| restart \| back \| remove/);
  const [folder = ''] = folders();
  assert.equal(shStarts(folder)[0]?.replace(/^\d+ /, ''), `1.0.0 one ${url}`);
  assert.ok(!existsSync(path.join(folder, 'agent.mjs')));
  const control = (verb: string) => sh(`sh "$CONTROL" ${verb}`, { CONTROL: path.join(folder, 'muster-agent') });
  assert.match((await control('status')).stdout, /^running, process \d+; version 1\.0\.0, connected/);
  assert.match((await control('tunnel tcp://127.0.0.1:22')).stderr, /plain sh, which has no tunnels/);
  assert.equal((await control('allow-tunnels loopback')).code, 1);

  writeFileSync(shProgram, shAgent('2.0.0'));
  const renewed = await paste('', ' -s -- --update');
  assert.deepEqual([renewed.code, renewed.stderr], [0, '']);
  assert.match(renewed.stdout, /Agent 2\.0\.0 has replaced the one before it/);
  assert.match(shStarts(folder).at(-1) ?? '', / 2\.0\.0 one /);
  assert.equal((await control('back')).code, 0);
  await until('the agent of before', () => / 1\.0\.0 /.test(shStarts(folder).at(-1) ?? ''));
  const pid = Number(shStarts(folder).at(-1)?.split(' ')[0]);
  assert.equal((await control('stop')).code, 0);
  await ended(pid);
  assert.equal((await control('remove')).code, 0);
  assert.ok(!existsSync(folder));
});

// ---- Devices without Node.js ----------------------------------------------------------------------------------------

const bare = path.join(home, 'bare');
const withoutNode = { PATH: `${bin}:${bare}` };
/** All programs of this machine but Node.js, whose `uname` names this kind of machine. */
function becomeBare(machine: string): void {
  rmSync(bare, { recursive: true, force: true });
  mkdirSync(bare);
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (!/^(node(js)?|uname)$/.test(name) && !existsSync(path.join(bare, name)))
        try {
          symlinkSync(path.join(folder, name), path.join(bare, name));
        } catch {
          // a broken link of that name
        }
  replace('uname', `[ "$1" = -s ] && echo Linux || echo ${machine}`);
}
const replace = (name: string, script: string) => {
  rmSync(path.join(bare, name), { force: true });
  writeFileSync(path.join(bare, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
};

/** What this machine would get from a service, and what `uname` calls it. */
const [platform, machine] = process.arch === 'arm64' ? ['linux-arm64', 'aarch64'] : ['linux-x64', 'x86_64'];
const foreign = process.arch === 'arm64' ? 'x86_64' : 'aarch64';
/** In place of Node.js: a small program that says it is this version, and runs agents with the one of this machine. */
function publishRuntime(version: string, says = `v${version}`): void {
  const real = `'${process.execPath.replaceAll("'", `'\\''`)}'`;
  const text = `#!/bin/sh\n[ "$1" != --version ] || { echo '${says}'; exit; }\nexec ${real} "$@"\n`;
  mkdirSync(runtimesFolder, { recursive: true });
  writeFileSync(path.join(runtimesFolder, runtimeName(version, platform)), gzipSync(text));
}
const nodeOf = (folder: string) => /^node='(.*)'$/m.exec(readFileSync(path.join(folder, 'settings.sh'), 'utf8'))?.[1];
const versionsIn = (folder: string) => {
  const at = path.join(folder, 'runtime');
  return existsSync(at) ? readdirSync(at) : [];
};

test('without Node.js the agent of plain sh is chosen where no Node.js can be had, and named where it can', async () => {
  becomeBare(machine);
  const env = withoutNode;
  const refused = await paste('one', '', env);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /needs Node\.js 20 or newer; this machine has none, and the service has none for linux-.*[^]*--sh/,
  );
  publishRuntime('99.1.0');
  becomeBare('mips');
  const { code, stdout, stderr } = await paste('one', '', env);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /Node\.js cannot be had for mips, so this device gets the agent of plain sh/);
  assert.equal(shStarts(folders()[0] ?? '').length, 1);
  const tunnels = await paste('two', ' -s -- --allow-tunnels loopback', env);
  assert.equal(tunnels.code, 0);
  assert.match(tunnels.stdout, /has no tunnels: --allow-tunnels changes nothing/);
  // A kernel of 64 bits without programs of 64 bits, as this machine is for another processor; and little memory.
  becomeBare(foreign);
  assert.match((await paste('three', '', env)).stdout, /cannot be had for programs of 32 bits/);
  becomeBare(machine);
  replace(
    'sed',
    `case $* in *MemTotal*) echo 120000 ;; *) exec ${JSON.stringify(realpathSync(path.join(bare, 'sed')))} "$@" ;; esac`,
  );
  assert.match((await paste('four', '', env)).stdout, /cannot be had in less than 128 MB of memory/);
  // What the system's own programs are linked with decides, and not whether musl is installed, too.
  becomeBare(machine);
  const grep = JSON.stringify(realpathSync(path.join(bare, 'grep')));
  replace('grep', `case $* in *ld-musl*/bin/sh) exit 0 ;; *) exec ${grep} "$@" ;; esac`);
  assert.match((await paste('five', '', env)).stdout, /cannot be had with musl/);
  for (const folder of folders()) assert.deepEqual(versionsIn(folder), []);
  await sh(`curl -fsSL ${url}/install.sh >install.sh`);
  becomeBare('mips');
  const managers = ['opkg', 'apk', 'apt-get', 'dnf', 'yum', 'zypper', 'pacman', 'xbps-install'];
  for (const tool of ['curl', ...managers]) rmSync(path.join(bare, tool), { force: true });
  // That of OpenWrt and of BusyBox.
  replace('wget', 'echo "wget: unrecognized option: version" >&2; exit 1');
  for (const [manager, hint] of [
    ['', /needs curl, or GNU wget[^]*\nInstall curl, then run this again/],
    ['apt-get', /Install curl \(apt-get install curl\)/],
    ['apk', /Install curl \(apk -U add curl\)/],
    ['opkg', /Install curl \(opkg update && opkg install curl\)/],
  ] as const) {
    if (manager !== '') replace(manager, '');
    const without = await sh('DEVICE_KEY=two sh install.sh', env);
    assert.equal(without.code, 1);
    assert.match(without.stderr, hint);
  }
});

test('Node.js of the service is brought along where there is none, shared by later agents and renewed with them', async () => {
  becomeBare(machine);
  publishRuntime('99.1.0');
  const ran = await paste('one', ' -s -- --allow-tunnels loopback', withoutNode);
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.match(ran.stdout, /This machine has no Node\.js 20 or newer, so version 99\.1\.0 is fetched/);
  const [folder = ''] = folders();
  const brought = (version: string) => path.join(folder, 'runtime', version, 'node');
  assert.deepEqual([mode(brought('99.1.0')), versionsIn(folder)], [0o700, ['99.1.0']]);
  assert.deepEqual(readdirSync(path.dirname(brought('99.1.0'))), ['node']);
  assert.deepEqual(
    starts(folder).map(({ version, allows }) => [version, allows]),
    [['1.0.0', 'loopback']],
  );
  const update = async (env: Record<string, string> = withoutNode) => {
    const renewed = await paste('', ' -s -- --update', env);
    assert.deepEqual([renewed.code, renewed.stderr], [0, '']);
    return renewed.stdout;
  };
  publish(agent('2.0.0'));
  assert.doesNotMatch(await update(), /is fetched/, 'it is there already');
  publishRuntime('99.2.0');
  assert.match(await update(), /version 99\.2\.0 is fetched/);
  assert.deepEqual(versionsIn(folder), ['99.1.0', '99.2.0'], 'the agent before runs under the other');
  publish(agent('3.0.0'));
  await update();
  assert.deepEqual(versionsIn(folder), ['99.2.0']);

  // As the agent itself does it: what settings.sh names then is what runs.
  const { pid = 0 } = starts(folder).at(-1) ?? {};
  const settings = path.join(folder, 'settings.sh');
  const named = readFileSync(settings, 'utf8');
  mkdirSync(path.dirname(brought('99.3.0')));
  writeFileSync(brought('99.3.0'), '#!/bin/sh\necho used >"$MUSTER_INSTALL/used"\nexit 9\n', { mode: 0o700 });
  writeFileSync(settings, named.replace('99.2.0', '99.3.0'));
  const number = path.join(folder, 'child.pid');
  await until('the number of its process', () => readFileSync(number, 'utf8').trim() === String(pid));
  process.kill(pid, 'SIGUSR2');
  await until('the other Node.js', () => existsSync(path.join(folder, 'used')));
  writeFileSync(settings, named);

  // What the service no longer has is kept; a Node.js of the device itself takes its place.
  rmSync(runtimesFolder, { recursive: true });
  await update();
  assert.equal(nodeOf(folder)?.endsWith('/runtime/99.2.0/node'), true);
  await update({});
  assert.equal(nodeOf(folder)?.includes('/runtime/'), false);
  const control = (verb: string) =>
    sh(`sh "$CONTROL" ${verb}`, { ...withoutNode, CONTROL: path.join(folder, 'muster-agent') });
  assert.equal((await control('back')).code, 0);
  assert.equal(nodeOf(folder)?.endsWith('/runtime/99.2.0/node'), true);
  await until('the agent of before', () => starts(folder).length === 7);
  assert.equal((await control('remove')).code, 0);
  assert.ok(!existsSync(folder));
});

test('Node.js that is not the announced one is not unpacked, and one that does not run here makes it the agent of plain sh', async () => {
  becomeBare(machine);
  publishRuntime('99.1.0');
  const file = path.join(runtimesFolder, runtimeName('99.1.0', platform));
  await sh(`curl -fsSL ${url}/install.sh >install.sh`);
  const announced = readFileSync(file);
  const refused = async (bytes: Buffer, why: RegExp) => {
    writeFileSync(file, bytes);
    const { code, stderr } = await sh('DEVICE_KEY=one sh install.sh', withoutNode);
    assert.equal(code, 1);
    assert.match(stderr, why);
    for (const folder of folders()) {
      assert.deepEqual([versionsIn(folder), readdirSync(folder)], [[], []]);
      rmSync(folder, { recursive: true });
    }
  };
  const other = Buffer.from(announced);
  other[other.length - 1] = (other.at(-1) ?? 0) + 1;
  await refused(other, /another file than the service announced \(SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}\)/);
  await refused(Buffer.alloc(5_000_000, 1), /sends more than the \d+ bytes of Node\.js/);
  rmSync(file);
  assert.match((await sh('DEVICE_KEY=one sh install.sh', withoutNode)).stderr, /Cannot fetch \S+node-99\.1\.0/);

  publishRuntime('99.3.0', "version `GLIBC_2.28' not found".replaceAll("'", ''));
  const { code, stdout, stderr } = await paste('one', '', withoutNode);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /Node\.js cannot be had here \(version `GLIBC_2\.28 not found\), so this device gets the agent of plain sh/,
  );
  const [folder = ''] = folders();
  assert.deepEqual([versionsIn(folder), shStarts(folder).length], [[], 1]);
});

test('Node.js of the service is sent whole or in part, under its hash, and only what is there', async () => {
  publishRuntime('99.1.0');
  publishRuntime('99.10.0');
  publishRuntime('99.9.0');
  const [runtime, ...others] = await context.runtimes.all();
  assert.ok(runtime);
  assert.deepEqual([runtime.version, runtime.platform, others], ['99.10.0', platform, []]);
  const at = `${url}${RUNTIMES_PATH}/${runtime.name}`;
  const bytes = readFileSync(path.join(runtimesFolder, runtime.name));
  const whole = await fetch(at);
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes);
  const { headers } = whole;
  assert.equal(headers.get('etag'), `"${createHash('sha256').update(bytes).digest('hex')}"`);
  assert.equal(headers.get('content-length'), String(bytes.length));
  assert.equal(headers.get('content-encoding'), null);
  const ask = (given: Record<string, string>, method = 'GET') => fetch(at, { method, headers: given });
  const part = await ask({ Range: 'bytes=10-' });
  assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, bytes.subarray(10)]);
  assert.equal((await ask({ Range: 'bytes=10-', 'If-Range': '"another"' })).status, 200);
  assert.equal((await ask({ Range: `bytes=${bytes.length}-` })).status, 416);
  const head = await ask({}, 'HEAD');
  assert.deepEqual(
    [head.status, head.headers.get('content-length'), await head.text()],
    [200, String(bytes.length), ''],
  );
  for (const name of ['node-99.1.0-linux-x64.gz', '..%2fagent.mjs', 'node-99.10.0-linux-mips.gz'])
    assert.equal((await fetch(`${url}${RUNTIMES_PATH}/${name}`)).status, 404, name);
});
