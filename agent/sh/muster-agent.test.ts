// The shell agent as a program, under each shell that this machine has, against a service that loses answers and sessions.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { running } from '../test-folder.ts';
import { AGENT_VERSION } from '../version.ts';
import { LOCALHOST_TLS } from '../../scripts/test-certificate.ts';
import { busyBoxPath, find, testWith } from './test-busybox.ts';
import { KEY_REFUSED, TestService, type Answer, type TestJob } from './test-service.ts';

const SCRIPT = path.join(import.meta.dirname, 'muster-agent.sh');
const base = mkdtempSync(path.join(tmpdir(), "muster-sh it's "));
after(() => rmSync(base, { recursive: true, force: true }));

interface Shell {
  name: string;
  command: string[];
  path: string;
}

/** A disk of 1 MB, which only the programs have that `mounted` starts. */
interface SmallDisk {
  folder: string;
  mounted: string[];
}

function testOnDisk(name: string, run: (disk: SmallDisk) => Promise<void>): void {
  const folder = mkdtempSync(path.join(base, 'disk-'));
  const mounted = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none "$0" && exec "$@"', folder];
  if (spawnSync('unshare', [...mounted.slice(1), 'true']).status === 0) void test(name, () => run({ folder, mounted }));
  else console.log(`Left out, because a small disk cannot be mounted here: ${name}`);
}

/** Writes to a file until its disk is full. */
function fill(file: string): void {
  for (const step of [65_536, 4096, 1])
    try {
      for (;;) appendFileSync(file, Buffer.alloc(step, 1));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
}

const dash = find('dash') ?? find('sh') ?? '/bin/sh';
const standard: Shell = { name: path.basename(dash), command: [dash], path: process.env['PATH'] ?? '' };
const others = ['busybox', 'mksh', 'yash'].flatMap((name): Shell[] => {
  const program = find(name);
  if (program === undefined) {
    console.log(`Left out, because ${name} is not installed ("apt install ${name}"): the agent of plain sh under it`);
    return [];
  }
  return name === 'busybox'
    ? [{ name, command: [program, 'ash'], path: busyBoxPath(program, base) }]
    : // yash is one of POSIX only by this option, or by the name sh.
      [
        {
          name,
          command: [program, ...(name === 'yash' ? ['--posixlycorrect'] : [])],
          path: process.env['PATH'] ?? '',
        },
      ];
});

/** The PATH of a machine that lacks some programs, has others beside them, or both. */
function pathWith(lacks: string[], has: Record<string, string> = {}): string {
  const bin = mkdtempSync(path.join(base, 'bin-'));
  for (const [name, script] of Object.entries(has))
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const folder of standard.path.split(path.delimiter))
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (!lacks.includes(name))
        try {
          symlinkSync(path.join(folder, name), path.join(bin, name));
        } catch {
          // There is one of that name.
        }
  return bin;
}

class Device {
  readonly folder = mkdtempSync(path.join(base, 'device-'));
  readonly data: string;
  readonly keyFile = path.join(this.folder, 'key');
  readonly shell: Shell;
  readonly env: Record<string, string>;
  readonly disk: SmallDisk | undefined;
  /** Another address than that of the service. */
  url: string | undefined;
  agent: TestProcess | undefined;

  /** @param disk where its data are, instead of its folder */
  constructor(shell: Shell, env: Record<string, string> = {}, disk?: SmallDisk) {
    this.shell = shell;
    this.env = env;
    this.disk = disk;
    this.data = path.join(disk?.folder ?? this.folder, 'data');
    writeFileSync(this.keyFile, `${service.key}\n`, { mode: 0o600 });
  }

  start(): TestProcess {
    const [command = '', ...args] = [...(this.disk?.mounted ?? []), ...this.shell.command];
    const options = ['--server', this.url ?? service.url, '--key-file', this.keyFile, '--data', this.data];
    this.agent = new TestProcess([...args, SCRIPT, ...options], {
      command,
      env: {
        PATH: this.shell.path,
        MUSTER_SHELL: this.shell.command.join(' '),
        // Killed agents leave a folder there.
        TMPDIR: this.folder,
        ...this.env,
      },
    });
    return this.agent;
  }

  get jobs(): string[] {
    return existsSync(path.join(this.data, 'queue')) ? readdirSync(path.join(this.data, 'queue')) : [];
  }

  /** A file that a job of this device may write. */
  file(name: string): string {
    return path.join(this.folder, name);
  }

  read(name: string): string {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8') : '';
  }
}

let service: TestService;
beforeEach(async () => {
  service = new TestService();
  await service.start();
});
afterEach(async () => {
  await endProcesses();
  await service.stop();
});

/** A sync that notes what is flushed, and what the agent would start with at that moment. */
function noteFlushes(device: Device, ...more: string[]): string {
  const found = ['key', ...more].map((name) => `$(cat "${device.file(name)}")`).join(' ');
  const note = `echo "\${each##*/} ${found}" >>"${device.file('flushed')}"`;
  return `for each; do ${note}; done 2>/dev/null\nexec ${find('sync')} "$@"`;
}

const ended = (job: TestJob) => until(`the end of ${job.id}`, () => job.end, 90_000);
const endOf = async (job: TestJob) => {
  const end = await ended(job);
  return end.get('exit') ?? end.get('how');
};
const text = (bytes: Buffer) => bytes.toString('latin1');

function jobsIn(shell: Shell): void {
  test('jobs run one after the other, and their output arrives byte by byte', async () => {
    const device = new Device(shell);
    const order = device.file('order');
    const jobs = [1, 2, 3].map((n) =>
      service.add(`job_${n}-`, `echo begin ${n} >>"${order}"; sleep 0.3; echo end ${n} >>"${order}"; exit ${n}`),
    );
    const killed = service.add('killed', 'kill -KILL $$');
    const bytes = service.add('bytes', `printf 'a\\000b\\377\\n\\n'; printf '\\000\\r' >&2`);
    const large = service.add(
      'large',
      `dd if=/dev/urandom of=random bs=1024 count=1100 2>/dev/null; cat random; cat random >&2; cp random "${device.file('random')}"`,
    );
    device.start();
    for (const [index, job] of jobs.entries()) assert.equal(await endOf(job), String(index + 1), job.reason);
    assert.equal(device.read('order'), [1, 2, 3].map((n) => `begin ${n}\nend ${n}\n`).join(''));
    assert.equal(await endOf(killed), '137');
    assert.equal(await endOf(bytes), '0');
    assert.deepEqual([text(bytes.stdout), text(bytes.stderr)], ['a\0b\xff\n\n', '\0\r']);
    assert.equal(await endOf(large), '0');
    const random = readFileSync(device.file('random'));
    assert.ok(large.stdout.equals(random) && large.stderr.equals(random));
    await until('the folders to go', () => device.jobs.length === 0);
  });

  test('a signal that comes together with the end of a child does not hide it', () => {
    const tries =
      'n=0; while [ $n -lt 40 ]; do n=$((n+1)); sh -c "kill -s USR1 $$; exit 3" & await $!; echo $code; done';
    const script = `. '${path.join(import.meta.dirname, 'supervise.sh')}'; on_wake=:; trap : USR1; ${tries}`;
    const [command = '', ...args] = shell.command;
    const { stdout } = spawnSync(command, [...args, '-c', script], { encoding: 'utf8', env: { PATH: shell.path } });
    const codes = stdout.trim().split('\n');
    assert.deepEqual(
      codes,
      Array.from({ length: 40 }, () => '3'),
    );
  });
}

function common(shell: Shell): void {
  jobsIn(shell);

  test('output arrives while the command runs, which is stopped with all that it started', async () => {
    const device = new Device(shell);
    device.start();
    const stray = 'setsid sh -c "exec >/dev/null 2>&1 </dev/null; cd /; while :; do sleep 0.4171; done" &';
    const job = service.add('stop', `${stray} trap '' TERM; echo begun; sleep 4172; sleep 4173`);
    await until('output', () => text(job.stdout) === 'begun\n');
    await until('the stray', () => running('sleep\x000.4171').length > 0);
    service.askToStop(job);
    assert.equal(await endOf(job), 'stopped');
    assert.equal(job.reason, 'Stopped on request.');
    for (const left of ['sleep\x000.4171', 'sleep 0.4171', 'sleep\x004172', 'sleep\x004173'])
      assert.deepEqual(running(left), []);
  });

  test('killed at any moment, it runs each job once and delivers the whole output', async () => {
    const device = new Device(shell);
    const count = device.file('count');
    const job = service.add(
      'once',
      `echo ran >>"${count}"; for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.3; done; exit 7`,
    );
    for (const lostAt of ['/job/once/taken', '/job/once/output', '/job/once/ended']) {
      const { promise: lost, resolve } = Promise.withResolvers<void>();
      // The service has handled it, and the agent never hears so.
      service.fault = (request) => {
        if (request.path !== lostAt) return undefined;
        resolve();
        return 'lose';
      };
      const agent = device.start();
      await lost;
      await agent.end('SIGKILL');
      service.fault = () => undefined;
    }
    device.start();
    const next = service.add('next', `cat "${count}"`);
    assert.equal(await endOf(next), '0');
    assert.equal(text(next.stdout), 'ran\n');
    assert.equal(job.end?.get('exit'), '7');
    assert.equal(text(job.stdout), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}\n`).join(''));
  });

  test('a new key is stored before it is used, and no process shows one', async () => {
    const device = new Device(shell);
    let agent = device.start();
    await until('it to wait', () => service.requests.some((each) => each.startsWith('POST /hello')));
    await until('curl', () => running(`${service.url}/agent/v1/next`).length > 0);
    for (const key of ['dk_first', 'dk_second']) assert.deepEqual(running(key), []);
    service.replaceKey('dk_second');
    await until('the new key in use', () => service.key === 'dk_second');
    assert.equal(readFileSync(device.keyFile, 'utf8'), 'dk_second\n');
    assert.deepEqual(
      ['key', 'data/scratch/headers'].map((name) => statSync(device.file(name)).mode & 0o777),
      [0o600, 0o600],
    );
    await agent.end();
    agent = device.start();
    assert.equal(await endOf(service.add('again', 'exit 9')), '9');
    service.key = 'dk_third';
    service.forgetSession();
    assert.equal(await agent.ended, 2);
    assert.match(agent.printed, /refused the key/);
  });
}

describe(`under ${standard.name}`, () => {
  common(standard);

  test('a key that the service has just given is tried once more when it is refused', async () => {
    let refusals = 0;
    service.fault = ({ key }) => (key === service.newKey && refusals++ === 0 ? KEY_REFUSED : undefined);
    const device = new Device(standard);
    const agent = device.start();
    service.replaceKey('dk_second');
    await until('the new key in use', () => service.key === 'dk_second');
    assert.equal(refusals, 2);
    assert.equal(await endOf(service.add('after', 'exit 3')), '3');

    // It has been used since: another refusal is final.
    service.key = 'dk_other';
    service.forgetSession();
    assert.equal(await agent.ended, 2);
    assert.match(agent.printed, /refused the key/);
  });

  test('a key that is refused twice is final, although the service has just given it', async () => {
    let refusals = 0;
    service.fault = ({ key }) => (key === 'dk_second' ? ((refusals += 1), KEY_REFUSED) : undefined);
    const agent = new Device(standard).start();
    service.replaceKey('dk_second');
    assert.equal(await agent.ended, 2);
    assert.equal(refusals, 2);
  });

  test('a new key is on the disk before it takes the place of the old one', async () => {
    const device = new Device(standard);
    device.env['PATH'] = pathWith([], { sync: noteFlushes(device) });
    device.start();
    await until('it to wait', () => service.requests.some((each) => each.startsWith('POST /hello')));
    rmSync(device.file('flushed'));
    service.replaceKey('dk_second');
    await until('the new key in use', () => service.key === 'dk_second');
    assert.deepEqual(device.read('flushed').trim().split('\n'), [
      'key.new dk_first',
      `${path.basename(device.folder)} dk_second`,
    ]);
  });

  test('what a proxy says ends no enrolment, and is not shown as the service’s', async () => {
    const answers: Answer[] = [
      { status: 403, text: 'RBAC: access denied', headers: { 'Content-Type': 'text/plain', Server: 'envoy' } },
      { status: 400, text: '{"title":"Forbidden"}', headers: { 'Content-Type': 'application/json' } },
      { status: 200, text: '<title>Welcome</title>', headers: { 'Content-Type': 'text/html' } },
      { status: 200, text: JSON.stringify({ DeviceKey: service.key }) },
    ];
    service.fault = ({ path: at }) => (at === '/v1/enrol' ? answers.shift() : undefined);
    const device = new Device(standard, { ENROL_KEY: 'mek_shared', MUSTER_ENROL_PAUSE: '0' });
    rmSync(device.keyFile);
    const agent = device.start();
    await agent.line(/^This device has joined/);
    const tried = (what: string) => `${service.url} cannot be reached: a proxy in between${what}. Trying again.\n`;
    assert.ok(
      agent.printed.startsWith(tried(', envoy, answered 403') + tried(' answered 400') + tried(' answered 200')),
    );
  });

  test('without od, setsid, stat and timeout a device joins, and its key is on the disk before the way to it is gone', async () => {
    const bodies: Record<string, unknown>[] = [];
    service.fault = ({ path: at, body }) => {
      if (at !== '/v1/enrol') return undefined;
      bodies.push(JSON.parse(body.toString()) as Record<string, unknown>);
      return bodies.length === 1 ? 'lose' : { status: 200, text: JSON.stringify({ DeviceKey: service.key }) };
    };
    const device = new Device(standard, { ENROL_KEY: 'mek_shared', MUSTER_ENROL_PAUSE: '0' });
    rmSync(device.keyFile);
    const lacks = ['od', 'setsid', 'stat', 'timeout'];
    device.env['PATH'] = pathWith(lacks, { sync: noteFlushes(device, 'data/enrolment-secret') });
    const agent = device.start();
    await agent.line(/^This device has joined/);
    assert.equal(await endOf(service.add('first', 'exit 3')), '3', agent.printed);
    assert.doesNotMatch(agent.printed, /cannot open|No such file|not found/);
    assert.match(String(bodies[0]?.['Secret']), /^[0-9a-f]{64}$/);
    assert.deepEqual(bodies[1], bodies[0]);
    const flushed = device.read('flushed').trim().split('\n');
    const at = flushed.findIndex((line) => line.startsWith('key.new'));
    assert.deepEqual(flushed.slice(at, at + 2), [
      `key.new  ${String(bodies[0]?.['Secret'])}`,
      `${path.basename(device.folder)} dk_first ${String(bodies[0]?.['Secret'])}`,
    ]);
    assert.ok(!existsSync(path.join(device.data, 'enrolment-secret')));
  });

  test('a device says what it lacks to join', () => {
    const join = (lacks: string[], has: Record<string, string> = {}) => {
      const data = mkdtempSync(path.join(base, 'join-'));
      const env = { PATH: pathWith(lacks, has), ENROL_KEY: 'mek_shared', TMPDIR: data };
      return spawnSync(dash, [SCRIPT, '--server', service.url, '--data', data], { env, encoding: 'utf8' }).stderr;
    };
    const digests = ['sha256sum', 'shasum', 'openssl', 'busybox'];
    assert.equal(
      join(digests),
      'This device has no program that computes a SHA-256: install openssl, then start the agent again.\n',
    );
    assert.equal(
      join(['head'], { head: `case $* in */dev/urandom) exit 1 ;; esac; exec ${find('head')} "$@"` }),
      'This device has no random numbers: /dev/urandom cannot be read.\n',
    );
  });

  test('a job that exceeds its time limit is ended', async () => {
    const device = new Device(standard);
    device.start();
    const job = service.add('slow', 'echo begun; sleep 4181 & sleep 4182', 1);
    assert.equal(await endOf(job), 'timeout');
    assert.equal(job.reason, 'Stopped: it ran longer than its limit of 1 s.');
    assert.equal(text(job.stdout), 'begun\n');
    for (const left of ['sleep\x004181', 'sleep\x004182']) assert.deepEqual(running(left), []);
  });

  test('a job whose supervisor was killed is interrupted, ended, and not run again', async () => {
    const device = new Device(standard);
    device.start();
    const job = service.add('killed', 'echo begun; sleep 4183');
    await until('output', () => text(job.stdout) === 'begun\n');
    const [folder = ''] = device.jobs;
    const [pid] = readlinkSync(path.join(device.data, 'queue', folder, 'lock')).split(' ');
    process.kill(Number(pid), 'SIGKILL');
    assert.equal(await endOf(job), 'interrupted');
    assert.deepEqual(running('sleep\x004183'), []);
    assert.equal(await endOf(service.add('next', 'exit 4')), '4');
  });

  test('what ran when the device restarted is interrupted, and what waited runs', async () => {
    const device = new Device(standard);
    const agent = device.start();
    const job = service.add('ran', 'echo begun; sleep 4184');
    await until('output', () => text(job.stdout) === 'begun\n');
    await agent.end('SIGKILL');
    const [folder = ''] = device.jobs;
    const lock = path.join(device.data, 'queue', folder, 'lock');
    const [pid = '', born = ''] = readlinkSync(lock).split(' ');
    process.kill(Number(pid), 'SIGKILL');
    unlinkSync(lock);
    symlinkSync(`${pid} ${born} another-boot`, lock);
    const waiting = service.add('waited', 'exit 5');
    device.start();
    assert.equal(await endOf(job), 'interrupted');
    assert.equal(await endOf(waiting), '5');
  });

  test('a stopped job that waits on the device never starts', async () => {
    const device = new Device(standard);
    const stopped = service.add('early', `touch "${device.file('ran')}"`);
    // It is handed out, and stopped before the agent has confirmed it.
    service.fault = (request) => {
      if (request.path === '/job/early/taken') stopped.isStopped = true;
      return undefined;
    };
    device.start();
    assert.equal(await endOf(stopped), 'stopped');
    assert.equal(await endOf(service.add('next', 'exit 6')), '6');
    assert.ok(!existsSync(device.file('ran')));
  });

  test('with the service away its job goes on, and both continue when that is back', async () => {
    const device = new Device(standard);
    const agent = device.start();
    const go = device.file('go');
    const job = service.add('away', `echo before; while [ ! -e "${go}" ]; do sleep 0.1; done; echo after; exit 8`);
    await until('output', () => text(job.stdout) === 'before\n');
    await service.stop();
    await agent.line(/^The connection to http:\S+ is lost/);
    writeFileSync(go, '');
    service.forgetSession();
    await service.start();
    assert.equal(await endOf(job), '8');
    assert.equal(text(job.stdout), 'before\nafter\n');
    assert.equal(service.hellos.at(-1)?.get('job'), 'away', 'it names its job when it says hello again');
  });

  test('while it says hello again, its job loses no output and keeps its end', async () => {
    const device = new Device(standard);
    device.start();
    const go = device.file('go');
    const job = service.add('meanwhile', `echo before; until [ -e "${go}" ]; do sleep 0.1; done; echo after; exit 8`);
    await until('output', () => text(job.stdout) === 'before\n');
    service.fault = (request) => (request.path === '/hello' ? { status: 503, text: 'Busy.' } : undefined);
    service.forgetSession();
    await until('another hello', () => service.requests.includes('POST /hello 503'));
    writeFileSync(go, '');
    await until('a refusal', () => service.requests.some((each) => /^PUT .* 40\d$/.test(each)));
    service.fault = () => undefined;
    assert.equal(await endOf(job), '8');
    assert.equal(text(job.stdout), 'before\nafter\n');
  });

  test('answers that are none of the protocol start and settle nothing, and lose no output', async () => {
    const device = new Device(standard);
    const portal = { status: 200, text: '<html>Welcome to the hotel' };
    const pages = new Map<string, Answer[]>([
      [
        '/hello',
        [
          { status: 407, text: '<html>Proxy Authentication Required' },
          { status: 401, text: '<html>401', headers: { Server: 'nginx', 'WWW-Authenticate': 'Basic realm="Site"' } },
        ],
      ],
      ['/next', [portal]],
      ['/job/once/taken', [{ status: 404, text: '<html>Not found' }]],
      ['/job/once/output', [portal]],
      ['/job/once/ended', [portal, { status: 400, text: 'Bad Request' }]],
    ]);
    service.fault = (request) => pages.get(request.path)?.shift();
    const agent = device.start();
    const job = service.add('once', `echo ran >>"${device.file('count')}"; echo out; exit 7`);
    assert.equal(await endOf(job), '7');
    assert.equal(text(job.stdout), 'out\n');
    assert.equal(await endOf(service.add('next', 'exit 3')), '3');
    assert.equal(device.read('count'), 'ran\n');
    assert.deepEqual([...pages.values()].flat(), []);
    assert.match(
      agent.printed,
      /is lost: it did not answer as a Muster service does, but with 200 a page that is not the service's/,
    );
    assert.match(agent.printed, /but with 407 a page that is not the service's/);
    assert.ok(!agent.printed.includes('<'), agent.printed);
  });

  test('an end that the service cannot read is one that it knows, and output comes in pieces that a proxy allows', async () => {
    const device = new Device(standard);
    let refused = 0;
    service.fault = (request) => {
      if (request.body.length > 40_000) return { status: 413, text: '<html>Too large' };
      if (request.path === '/job/next/output') return { status: 400, text: 'The request is not valid: no output.' };
      if (request.path !== '/job/odd/ended' || refused > 1) return undefined;
      refused += 1;
      return { status: 400, text: 'The request is not valid: an unknown end.' };
    };
    device.start();
    const job = service.add('odd', 'yes 0123456789 | head -c 90000; exit 7');
    assert.equal(await endOf(job), 'interrupted');
    assert.equal(
      job.reason,
      'The job ended with exit=7, which the service did not take: The request is not valid: an unknown end.',
    );
    assert.equal(job.stdout.length, 90_000);
    const next = service.add('next', 'echo out; exit 3');
    assert.equal(await endOf(next), '3');
    assert.equal(
      next.reason?.trim(),
      'The service did not take the rest of its output: The request is not valid: no output.',
    );
  });

  test('it waits as long as a busy service asks', async () => {
    const device = new Device(standard);
    const times: number[] = [];
    service.fault = (request) => {
      if (request.path !== '/hello') return undefined;
      times.push(performance.now());
      return times.length === 1 ? { status: 503, text: 'Busy.', headers: { 'Retry-After': '3' } } : undefined;
    };
    device.start();
    await until('the second hello', () => times.length === 2);
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 3000);
  });

  test('a pause that no service asks for is not kept, nor an id that is too long, and no page is printed as its answer', async () => {
    const device = new Device(standard);
    let asked = 0;
    service.fault = ({ path: at }) => {
      if (at === '/hello' && asked++ === 0)
        return { status: 503, text: '<!DOCTYPE html>', headers: { 'Retry-After': '99999' } };
      if (at === '/next' && asked++ === 1)
        return { status: 200, text: `job ${'x'.repeat(65)} 60\n\ntouch "${device.file('ran')}"` };
      return undefined;
    };
    const agent = device.start();
    assert.equal(await endOf(service.add('x'.repeat(64), 'exit 3')), '3');
    assert.match(agent.printed, /cannot be reached: status 503, a page that is not the service's\n/);
    assert.ok(!existsSync(device.file('ran')));
  });

  test('where a proxy ends waits, it asks for shorter ones, and loses nothing', async () => {
    const waits: string[] = [];
    const proxy = createServer((client) => {
      const upstream = connect(Number(new URL(service.url).port));
      client.setTimeout(3500, () => client.destroy());
      client
        .on('data', (bytes) => waits.push(...(/wait=\d+/.exec(bytes.toString()) ?? [])))
        .on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
      for (const end of [client, upstream]) end.on('error', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const device = new Device(standard, { MUSTER_POLL: '10' });
    device.url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const agent = device.start();
    await until('the wait that it has learned', () => waits.length >= 4);
    assert.deepEqual(waits.slice(0, 2), ['wait=10', 'wait=10']);
    assert.match(waits[2] ?? '', /^wait=[23]$/);
    assert.equal(waits[3], waits[2]);
    assert.doesNotMatch(agent.printed, /lost|reached/);
    await agent.end();
    proxy.close();
  });

  test('it ends when another agent took over', async () => {
    const device = new Device(standard);
    const agent = device.start();
    await until('its hello', () => service.hellos[0]);
    service.replaceSession();
    assert.equal(await agent.ended, 3);
    assert.match(agent.printed, /took over/);
  });

  test('a stream is cut at its limit with a mark, and the command goes on', async () => {
    const device = new Device(standard, { MUSTER_OUTPUT_LIMIT: '102400' });
    device.start();
    const job = service.add('long', 'yes 0123456789 | head -c 300000; echo end >&2; exit 5');
    assert.equal(await endOf(job), '5');
    const mark = '\n[muster] Output cut here: this stream is longer than 102400 bytes. The command was not stopped.\n';
    assert.equal(text(job.stdout), '0123456789\n'.repeat(10_000).slice(0, 102_400) + mark);
    assert.equal(text(job.stderr), 'end\n');
  });

  test('what a command leaves behind lives on without holding the job up', async () => {
    const device = new Device(standard);
    device.start();
    const rounds = device.file('rounds');
    const job = service.add('daemon', `(while :; do echo tick; echo >>"${rounds}"; sleep 0.4191; done) & echo done`);
    assert.equal(await endOf(job), '0');
    const before = device.read('rounds').length;
    await until('three more rounds', () => device.read('rounds').length >= before + 3);
    const left = running('sleep\x000.4191');
    const loop = left.map((pid) => /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    for (const pid of [...loop, ...left]) process.kill(Number(pid));
  });

  test('a deleted folder ends its job, and the next one runs', async () => {
    const device = new Device(standard);
    device.start();
    const job = service.add('deleted', 'echo begun; sleep 4185');
    await until('output', () => text(job.stdout) === 'begun\n');
    rmSync(path.join(device.data, 'queue', device.jobs[0] ?? ''), { recursive: true, force: true });
    assert.equal(await endOf(job), 'interrupted');
    await until('the end of its processes', () => running('sleep\x004185').length === 0);
    assert.equal(await endOf(service.add('next', 'exit 3')), '3');
  });

  test('a command runs in a folder of its own, knows its job, and sees no key', async () => {
    const device = new Device(standard, { DEVICE_KEY: 'dk_first' });
    device.start();
    const job = service.add('environment', 'pwd; umask; env; trap "echo INT" INT; kill -INT $$');
    await ended(job);
    const [cwd = '', umask, ...env] = text(job.stdout).trim().split('\n');
    assert.match(cwd, /\/queue\/\d+\.environment\/work$/);
    assert.equal(umask, execFileSync('sh', ['-c', 'umask'], { encoding: 'utf8' }).trim());
    assert.ok(env.includes('MUSTER_JOB_ID=environment'));
    assert.ok(!env.some((line) => line.includes('dk_first')));
  });

  test('a service whose certificate is not trusted gets no request, and the certificate can be made known', async () => {
    await service.stop();
    await service.start(LOCALHOST_TLS);
    const wary = new Device(standard).start();
    await wary.line(/^https:\/\/localhost:\d+ cannot be reached: .*certificate/);
    assert.deepEqual([service.requests, service.hellos], [[], []]);
    await wary.end();
    const file = path.join(base, 'certificate.pem');
    writeFileSync(file, LOCALHOST_TLS.cert);
    new Device(standard, { CURL_CA_BUNDLE: file }).start();
    await until('its hello', () => service.hellos.length > 0);
  });

  /** A device with these programs in its facts.d. */
  function withPrograms(programs: Record<string, string>, env: Record<string, string> = {}): Device {
    const device = new Device(standard, env);
    mkdirSync(path.join(device.data, 'facts.d'), { recursive: true });
    for (const [name, script] of Object.entries(programs))
      writeFileSync(path.join(device.data, 'facts.d', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return device;
  }

  test('facts of the machine and of the programs in facts.d are in its hello', async () => {
    const good = String.raw`printf 'rack=a 4%% + é\nBAD=1\njob=x\n# note=1\nback=a\\nb\r\nequals=a=b==\nempty=\nrack2=1\nrack2=2'
printf '\nos=mine\nagent_version=9\nlong=%09999d\n' 0; sleep 4391 & setsid sleep 4392 & sleep 0`;
    const device = withPrograms({
      good,
      failing: 'exit 1',
      large: 'yes large=1 | head -c 70000',
      writable: 'echo writable=yes',
    });
    chmodSync(path.join(device.data, 'facts.d/writable'), 0o777);
    symlinkSync('good', path.join(device.data, 'facts.d/a-link'));
    const agent = device.start();
    const facts = await until('its hello', () => service.hellos[0]);
    const printed = { rack: 'a 4% + é', back: String.raw`a\nb`, equals: 'a=b==', rack2: '2', kind: 'sh' };
    for (const [name, value] of Object.entries(printed)) assert.equal(facts.get(name), value);
    assert.equal(facts.get('long'), '0'.repeat(2113 - 'long='.length), 'the service cuts it, at a character');
    const isRoot = process.getuid?.() === 0;
    const failed = `failing large${isRoot ? ' writable' : ''}`;
    assert.equal(facts.get('facts_failed'), failed);
    assert.match(agent.printed, new RegExp(`^Facts that are not reported: facts_failed=${failed}$`, 'm'));
    assert.equal(facts.get('writable'), isRoot ? undefined : 'yes', 'as root only what root alone can write');
    for (const name of ['BAD', 'job', 'note', '# note', 'empty', 'large', 'agent_version'])
      assert.equal(facts.get(name), undefined, name);
    assert.match(facts.get('agent') ?? '', /^\d+\.\d+\.\d+$/);
    assert.equal(facts.get('server'), service.url);
    assert.match(facts.get('disk_free') ?? '', /^\d+(\.\d)? [MG]B$/);
    for (const name of ['os', 'kernel', 'arch', 'hostname'])
      assert.match(facts.get(name) ?? 'mine', /^(?!mine$)./, name);
    for (const left of ['sleep\x004391', 'sleep\x004392']) assert.deepEqual(running(left), []);
  });

  test('facts that are too many or too large are left out, and the hello says so', async () => {
    const many = (name: string, count: number, value: string) =>
      `n=0; while [ $((n += 1)) -le ${count} ]; do echo "${name}.$n=${value}"; done`;
    let device = withPrograms({ many: many('many', 300, 'x') });
    await device.start().line(/facts_left_out=many\.\d+ many/);
    const [first] = await until('its hello', () => service.hellos.length > 0 && service.hellos);
    assert.equal(first?.size, 201, 'with the address of the service');
    assert.ok(first?.has('many.150') && first.has('os') && !first.has('many.300'));
    await device.agent?.end();
    let length = 0;
    service.fault = ({ path: at, body }) => {
      if (at === '/hello') length = body.length;
      return undefined;
    };
    device = withPrograms({ long: many('long', 100, '%'.repeat(500)) });
    device.start();
    const second = await until('its hello', () => service.hellos[1]);
    assert.ok(second.has('long.10') && second.has('os') && !second.has('long.100'));
    assert.ok((second.get('facts_left_out') ?? '').startsWith('long.'));
    assert.ok(length < 65_536 && length > 60_000);
  });

  test('a changed fact is reported within the session, also while a job runs; to an older service by a hello', async () => {
    const device = withPrograms({}, { MUSTER_FACTS_EVERY: '1', MUSTER_POLL: '1' });
    const state = (value: string) =>
      writeFileSync(path.join(device.data, 'facts.d/state'), `#!/bin/sh\necho state=${value}\n`, { mode: 0o755 });
    const go = device.file('go');
    state('one');
    device.start();
    const job = service.add('held', `until [ -e "${go}" ]; do sleep 0.2; done`);
    await until('the job to run', () => device.jobs.length > 0);
    state('two');
    await until('the change', () => service.reports.at(-1)?.get('state') === 'two');
    assert.equal(service.hellos.length, 1);
    service.fault = ({ path: at }) =>
      at === '/facts' ? { status: 404, text: 'There is no such request.' } : undefined;
    state('three');
    await until('a report', () => service.requests.includes('PUT /facts 404'));
    assert.equal(service.hellos.length, 1, 'a hello would begin another session');
    writeFileSync(go, '');
    assert.equal(await endOf(job), '0');
    await until('the change', () => service.hellos.at(-1)?.get('state') === 'three');
  });

  // BusyBox takes its own df.
  for (const shell of [standard, ...others.filter(({ name }) => name !== 'busybox')])
    test(`sizes are right below a megabyte and past 2 TB under ${shell.name}`, async () => {
      for (const [total, free, ...expected] of [
        ['448', '300', '0 MB', '0 MB'],
        ['6912', '3300', '6 MB', '3 MB'],
        ['2000000', '1999000', '2.0 GB', '2.0 GB'],
        ['17578125000', '3300000000', '18000 GB', '2700 GB'],
      ]) {
        const device = new Device(shell);
        const df = `echo x; echo "x ${total} 0 ${free} 0% /"`;
        device.env['PATH'] = `${pathWith([], { df })}${path.delimiter}${shell.path}`;
        service.hellos = [];
        const agent = device.start();
        const facts = await until('its hello', () => service.hellos[0]);
        assert.deepEqual([facts.get('disk_total'), facts.get('disk_free')], expected);
        assert.match(facts.get('memory') ?? '', /^\d+ MB$/);
        await agent.end('SIGKILL');
      }
    });

  test('what a killed agent kept for its requests goes with the next start', async () => {
    const device = new Device(standard);
    const scratch = () => readdirSync(device.folder).filter((name) => name.startsWith('muster-agent.'));
    const agent = device.start();
    await until('its hello', () => service.hellos[0]);
    const [killed] = scratch();
    await agent.end('SIGKILL');
    const again = device.start();
    await until('its hello', () => service.hellos[1]);
    assert.equal(scratch().length, 1);
    assert.notEqual(scratch()[0], killed);
    await again.end('SIGKILL');
    // By now another agent has one of that name.
    const [taken = ''] = scratch();
    writeFileSync(path.join(device.folder, taken, 'owner'), '/elsewhere\n');
    const last = device.start();
    await until('its hello', () => service.hellos[2]);
    assert.ok(scratch().includes(taken));
    await last.end();
    assert.deepEqual(scratch(), [taken]);
  });

  testOnDisk('on a full disk jobs are refused, and the one that runs has its end', async (disk) => {
    const device = new Device(standard, { TMPDIR: '/dev/shm' }, disk);
    const agent = device.start();
    await until('its hello', () => service.hellos[0]);
    const filler = `/proc/${agent.child.pid}/root${disk.folder}/filler`;
    const go = device.file('go');
    const wait = `echo begun; until [ -e "${go}" ]; do sleep 0.1; done`;
    const begun = (job: TestJob) => until('the first line', () => text(job.stdout) === 'begun\n');

    const cut = service.add('cut', `${wait}; head -c 30000 /dev/zero | tr '\\0' x; exit 4`);
    await begun(cut);
    fill(filler);
    writeFileSync(go, '');
    assert.equal(await endOf(cut), '4');
    assert.match(text(cut.stdout), /^begun\nx*\n\[muster\] Disk full on the device/);

    fill(filler);
    const refused = service.add('refused', 'echo ran');
    assert.equal(await endOf(refused), 'refused');
    assert.match(refused.reason ?? '', /could not store the job in .*: is its disk full/);
    rmSync(go);
    rmSync(filler);

    const stopped = service.add('stopped', wait);
    await begun(stopped);
    fill(filler);
    service.askToStop(stopped);
    assert.equal(await endOf(stopped), 'stopped');
    assert.equal(stopped.reason, 'Stopped on request.');
    rmSync(filler);
    assert.equal(await endOf(service.add('next', 'exit 3')), '3');
    await agent.end();
  });

  testWith('wget', 'it works with GNU wget alone', async () => {
    const device = new Device({ ...standard, path: pathWith(['curl']) });
    const agent = device.start();
    const job = service.add('wget', `printf 'a\\000b'; exit 6`);
    assert.equal(await endOf(job), '6');
    assert.equal(text(job.stdout), 'a\0b');
    assert.deepEqual(running('dk_first'), []);
    service.key = 'dk_other';
    service.forgetSession();
    assert.equal(await agent.ended, 2, agent.printed);
  });

  test('a device without a client that serves is refused with what to install', () => {
    const options = ['--server', 'http://x', '--key-file', '/dev/null', '--data', base];
    const version = (said: string) => ({ wget: `[ "$1" = --version ] && echo '${said}'` });
    for (const has of [
      {},
      version('GNU Wget2 2.1.0 - multithreaded'),
      { wget: 'echo "Usage: wget <URL>" >&2; exit 1' },
    ]) {
      const env = { PATH: pathWith(['curl', 'wget'], has) };
      const { status, stderr } = spawnSync(dash, [SCRIPT, ...options], { env, encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(stderr, /needs curl 7\.55 or newer, or GNU wget: run "opkg install curl"/);
    }
  });
});

for (const [name, why] of [
  ['posh', 'has no ulimit'],
  ['ksh93', 'takes processes that run for ended'],
] as const)
  testWith(name, `the shell ${name} is refused with those that can be used`, (shell) => {
    const args = [SCRIPT, '--server', 'http://x', '--data', base];
    const { status, stderr } = spawnSync(shell, args, { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(
      stderr,
      new RegExp(`^This shell.* ${why}.* start the agent with BusyBox ash, dash, bash, mksh or yash`),
    );
  });

// The whole of it under more shells is `npm run agent-shells`.
for (const shell of others)
  describe(`under ${shell.name}`, () => (/^(?:mksh|yash)$/.test(shell.name) ? jobsIn : common)(shell));

test('both agents have one version', () => {
  assert.equal(execFileSync(dash, [SCRIPT, '--version'], { encoding: 'utf8' }), `${AGENT_VERSION}\n`);
});

describe('its check of an artifact', () => {
  const folder = path.join(base, 'check');
  const check = (sha256: string, kind: string, file: string) =>
    spawnSync(dash, [SCRIPT, 'check', sha256, kind, path.join(folder, file), 'app.tar.gz'], { encoding: 'utf8' });
  const sum = (file: string) => execFileSync('sha256sum', [path.join(folder, file)], { encoding: 'utf8' }).slice(0, 64);
  mkdirSync(path.join(folder, 'app'), { recursive: true });
  writeFileSync(path.join(folder, 'app/update.sh'), 'echo hello\n');
  execFileSync('tar', ['-czf', 'good', '-C', 'app', '.'], { cwd: folder });
  execFileSync('tar', ['-czPf', 'outside', 'app/../app/update.sh'], { cwd: folder });
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  execFileSync('tar', ['-czf', 'special', 'pipe'], { cwd: folder });

  test('accepts the one of the upload', () => {
    assert.deepEqual(
      [check(sum('good'), 'tar.gz', 'good').status, check(sum('app/update.sh'), 'script', 'app/update.sh').status],
      [0, 0],
    );
  });

  test('refuses another one, and archives that lead out of their folder or hold pipes', () => {
    assert.match(check('0'.repeat(64), 'tar.gz', 'good').stderr, /arrived changed/);
    assert.match(check(sum('outside'), 'tar.gz', 'outside').stderr, /names that lead out of its folder/);
    assert.match(check(sum('special'), 'tar.gz', 'special').stderr, /devices or pipes/);
    assert.match(check(sum('app/update.sh'), 'tar.gz', 'app/update.sh').stderr, /cannot be read/);
  });
});
