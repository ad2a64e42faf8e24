// A real service for tests: its own folder, a free port, and plain HTTP requests.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TimeSource } from './clock.ts';
import type { ContextOptions } from './context.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { createTestDatabase, onPostgres } from './store/test-database.ts';
import type { TestDatabase } from './store/test-database.ts';
import { startTestS3 } from './store/test-s3.ts';
import type { TestS3 } from './store/test-s3.ts';

export interface TestService extends Service {
  dataDir: string;
  clock: TestTime;
  /** The store of its artifacts, if that is not its folder. */
  s3: TestS3 | undefined;
  /** Ids of artifacts whose bytes are stored. */
  stored(): string[];
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

/** With `s3` here, services of tests store artifacts in an S3 store. */
export const TEST_STORE = 'TEST_ARTIFACT_STORE';
const stores = new Map<string, TestS3>();
/** By folder: a service that continues with one continues with its database. */
const databases = new Map<string, TestDatabase>();
/** Failures must not make tests wait. */
const STORE_TIMES = { answer: 5_000, upload: 20_000, pause: 10, sweep: 100, retry: 50 };

const SECRET = 'cluster-secret-that-only-tests-know';
const TOKEN = 'test-token-that-only-tests-know';

/** Starts a service; `dataDir` continues with the folder of an earlier one. */
export async function startTestService(
  env: Record<string, string> = {},
  dataDir = mkdtempSync(path.join(tmpdir(), 'muster-service-')),
  clock: TestTime = { offset: 0, set: 0, boot: 'this one' },
  options: Omit<ContextOptions, 'time'> = {},
): Promise<TestService> {
  const isNew = !stores.has(dataDir) && !databases.has(dataDir);
  let s3 = stores.get(dataDir);
  if (!s3 && process.env[TEST_STORE] === 's3') stores.set(dataDir, (s3 = await startTestS3()));
  let database = databases.get(dataDir);
  if (!database && onPostgres && env['UPSTREAM_URL'] === undefined)
    databases.set(dataDir, (database = await createTestDatabase()));
  const service = await startService(
    {
      HOST: '127.0.0.1',
      PORT: '0',
      TUNNEL_PORT: '0',
      DATA_DIR: dataDir,
      AUTH_TOKEN: TOKEN,
      ...s3?.env,
      ...(database && { DATABASE_URL: database.url.href, CLUSTER_SECRET: SECRET }),
      ...env,
    },
    { time: timeOf(clock), storeTimes: STORE_TIMES, rolloutsEveryMs: 100, ...options },
  ).catch(async (cause: unknown) => {
    if (!isNew) throw cause;
    stores.delete(dataDir);
    await s3?.end();
    databases.delete(dataDir);
    await database?.drop();
    throw cause;
  });
  return {
    ...service,
    dataDir,
    clock,
    s3,
    stored: () =>
      s3?.names() ??
      readdirSync(path.join(dataDir, 'artifacts'), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
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
      await s3?.end();
      stores.delete(dataDir);
      databases.delete(dataDir);
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
