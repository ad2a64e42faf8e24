// The nats-server of the machine, for tests. Debian and Ubuntu have it as a package; where it is not installed, these
// tests are left out.
// https://docs.nats.io/running-a-nats-service/configuration
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { freePort, until } from '../../scripts/test-process.ts';

/** Debian's folder for it is in the path of root only. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin` };

export const hasNatsServer = spawnSync('nats-server', ['--version'], { env }).status === 0;

/** The start of a line that `npm test` shows. */
export const NO_NATS = 'Left out, because nats-server is not installed ("apt install nats-server")';

/** Runs a test, or says that it cannot be run here: a test that skips itself would count as failed. */
export function natsTest(name: string, run: (t: TestContext) => Promise<void>): void {
  if (hasNatsServer) void test(name, run);
  else console.log(`${NO_NATS}: ${name}`);
}

export interface NatsServer {
  port: number;
  /** Ends it without any warning. */
  kill(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  /** Has it use another configuration while it runs. */
  reload(config: string): void;
  /** Ends it, and removes its files. */
  remove(): Promise<void>;
}

/** `config` in the server's own syntax; `files` are named in it by `{folder}/<name>`. */
export async function startNats(config = '', files: Record<string, string> = {}): Promise<NatsServer> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-nats-'));
  const configFile = path.join(folder, 'nats.conf');
  const configure = (text: string) =>
    writeFileSync(configFile, `listen: "127.0.0.1:${port}"\n${text.replaceAll('{folder}', folder)}\n`);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  configure(config);

  let child: ChildProcess | undefined;
  const server: NatsServer = {
    port,
    kill: async () => {
      const running = child;
      child = undefined;
      if (!running) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
    },
    start: async () => {
      child = spawn('nats-server', ['--config', configFile], { stdio: 'ignore', env });
      await until('nats-server', () => listens(port));
    },
    reload: (text) => {
      configure(text);
      child?.kill('SIGHUP');
    },
    remove: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
