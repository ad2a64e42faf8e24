// For tests: a service in a process of its own, always on the same port and folder, that can be killed and started again.
import assert from 'node:assert/strict';
import { TestProcess, until } from '../scripts/test-process.ts';
import { freePort } from './test-agents.ts';
import { testFleet, type TestFleet } from './test-fleet.ts';

const TOKEN = 'test-token-of-a-killable-service';

export interface KillableService {
  url: string;
  port: number;
  fleet: TestFleet;
  /** A request with the account's token; `body` is sent as JSON unless it is a form. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  start: () => Promise<void>;
  kill: () => Promise<void>;
  /** Stops it in order. */
  stop: () => Promise<void>;
}

/** Starts one with its data in this folder. */
export async function killableService(folder: string): Promise<KillableService> {
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
  const start = async () => {
    const env = { PORT: String(port), TUNNEL_PORT: '0', DATA_DIR: folder, AUTH_TOKEN: TOKEN };
    const started = new TestProcess(['server/main.ts'], { env });
    program = started;
    await until('the service to answer', () => {
      assert.ok(!started.hasEnded, started.printed);
      return call('GET', '/v1/account').then(
        ({ status }) => status === 200,
        () => false,
      );
    });
  };
  await start();
  return {
    url,
    port,
    fleet: testFleet(call),
    call,
    start,
    kill: async () => void (await program?.end('SIGKILL')),
    stop: async () => void (await program?.end()),
  };
}
