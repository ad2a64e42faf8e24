// A real service for tests: its own folder, a free port, and plain HTTP requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TimeSource } from './clock.ts';
import type { ContextOptions } from './context.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

export interface TestService extends Service {
  dataDir: string;
  clock: TestTime;
  /** A request with the account's token; `body` is sent as JSON unless it is a form. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stops the service and removes its folder. */
  end(): Promise<void>;
}

/** A time of its own: `offset` is added to the elapsed time; `set` is by how much the machine's clock is wrong. */
export interface TestTime {
  offset: number;
  set: number;
  boot: string;
}

export const timeOf = (clock: TestTime): TimeSource => ({
  wall: () => Date.now() + clock.offset + clock.set,
  steady: () => performance.now() + clock.offset,
  uptime: () => performance.now() + clock.offset,
  boot: clock.boot,
});

const TOKEN = 'test-token-that-only-tests-know';

/** Starts a service; `dataDir` continues with the folder of an earlier one. */
export async function startTestService(
  env: Record<string, string> = {},
  dataDir = mkdtempSync(path.join(tmpdir(), 'muster-service-')),
  clock: TestTime = { offset: 0, set: 0, boot: 'this one' },
  options: Omit<ContextOptions, 'time'> = {},
): Promise<TestService> {
  const service = await startService(
    { HOST: '127.0.0.1', PORT: '0', TUNNEL_PORT: '0', DATA_DIR: dataDir, AUTH_TOKEN: TOKEN, ...env },
    { time: timeOf(clock), ...options },
  );
  return {
    ...service,
    dataDir,
    clock,
    call: (method, at, body, headers = {}) =>
      fetch(new URL(at, service.url), {
        method,
        headers: {
          Authorization: `Bearer ${TOKEN}`,
          ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      }),
    end: async () => {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
