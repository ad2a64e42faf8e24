// For tests: a service in a process of its own, always on the same port and folder, that can be killed and started again.
import { ServiceProcess, type TestProcess } from '../scripts/test-process.ts';
import { testFleet, type TestFleet } from './test-fleet.ts';
import { createTestDatabase, onPostgres } from './store/test-database.ts';

const KILL_AT = new URL('store/test-kill-at.ts', import.meta.url).href;

export interface KillableService {
  url: string;
  port: number;
  fleet: TestFleet;
  call: ServiceProcess['call'];
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
  const service = new ServiceProcess({ DATA_DIR: folder, AUTH_TOKEN: 'test-token-of-a-killable-service', ...more });
  const killedAt = (statement?: string) =>
    statement === undefined ? {} : { imports: [KILL_AT], env: { KILL_AT: statement } };
  await service.start();
  const call: ServiceProcess['call'] = (...request) => service.call(...request);
  return {
    url: service.url,
    port: service.port,
    fleet: testFleet(call),
    call,
    start: (killAt) => service.start(killedAt(killAt)),
    launch: (killAt) => service.launch(killedAt(killAt)),
    kill: () => service.end('SIGKILL'),
    stop: () => service.end(),
  };
}

/** The database of a service in tests, as its environment names it: one of its own on PostgreSQL, else that of its folder. */
export async function engineOfTests(): Promise<{ env: Record<string, string>; drop: () => Promise<void> }> {
  if (!onPostgres) return { env: {}, drop: async () => {} };
  const { url, drop } = await createTestDatabase();
  return { env: { DATABASE_URL: url.href, CLUSTER_SECRET: 'a secret of the nodes in this test' }, drop };
}
