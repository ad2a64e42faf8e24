// For tests: a service in a process of its own, always on the same port and folder, that can be killed and started again.
import assert from 'node:assert/strict';
import { TestProcess, until } from '../scripts/test-process.ts';
import { freePort } from './test-agents.ts';
import { testFleet, type TestFleet } from './test-fleet.ts';
import { createTestDatabase, onPostgres } from './store/test-database.ts';

const TOKEN = 'test-token-of-a-killable-service';
const KILL_AT = new URL('store/test-kill-at.ts', import.meta.url).href;

export interface KillableService {
  url: string;
  port: number;
  fleet: TestFleet;
  /** A request with the account's token; `body` is sent as JSON unless it is a form. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** `killAt`: it is killed in the first transaction that runs this statement. */
  start: (killAt?: string) => Promise<TestProcess>;
  /** The same without waiting until it answers. */
  launch: (killAt?: string) => TestProcess;
  kill: () => Promise<void>;
  /** Stops it in order. */
  stop: () => Promise<void>;
}

/** Starts one with its data in this folder; `more`: what else its environment says. */
export async function killableService(folder: string, more: Record<string, string> = {}): Promise<KillableService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const call: KillableService['call'] = (method, path, body, headers = {}) =>
    fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        ...(!(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  let program: TestProcess | undefined;
  const launch = (killAt?: string) => {
    const env = { PORT: String(port), TUNNEL_PORT: '0', DATA_DIR: folder, AUTH_TOKEN: TOKEN, ...more };
    program =
      killAt === undefined
        ? new TestProcess(['server/main.ts'], { env })
        : new TestProcess(['--import', KILL_AT, 'server/main.ts'], { env: { ...env, KILL_AT: killAt } });
    return program;
  };
  const start = async (killAt?: string) => {
    const started = launch(killAt);
    await until('the service to answer', () => {
      assert.ok(!started.hasEnded, started.printed);
      return call('GET', '/v1/account').then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    return started;
  };
  await start();
  return {
    url,
    port,
    fleet: testFleet(call),
    call,
    start,
    launch,
    kill: async () => void (await program?.end('SIGKILL')),
    stop: async () => void (await program?.end()),
  };
}

/** The database of a service in tests, as its environment names it: one of its own on PostgreSQL, else that of its folder. */
export async function engineOfTests(): Promise<{ env: Record<string, string>; drop: () => Promise<void> }> {
  if (!onPostgres) return { env: {}, drop: async () => {} };
  const { url, drop } = await createTestDatabase();
  return { env: { DATABASE_URL: url.href, CLUSTER_SECRET: 'a secret of the nodes in this test' }, drop };
}
