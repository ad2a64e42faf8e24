// A service whose time goes in steps: a month passes in seconds, and each thing in it happens through the API and the agents'
// link at the time it should have. Only the clock and the timers are not the usual ones.
import { setImmediate } from 'node:timers/promises';
import type { TimeSource } from '../../server/clock.ts';
import { readConfig } from '../../server/config.ts';
import { publicUrlOf } from '../../server/http/listen.ts';
import type { LeaderTask } from '../../server/leader-work.ts';
import { startService } from '../../server/service.ts';
import type { Service } from '../../server/service.ts';
import { ALIVE_EVERY_MS, noteAlive } from '../../server/store/state-history.ts';

export interface SteppedService {
  service: Service;
  /** Where it listens. Its public address is the one that the demo will have. */
  address: string;
  now: () => number;
  /** Time passes. With `down`, the service counts as down meanwhile. */
  stepTo(at: number, how?: { down?: boolean }): Promise<void>;
  /** Runs the background tasks that are due. */
  work(): Promise<void>;
  /** Waits until what was written has reached the agents. */
  settle(): Promise<void>;
}

/** The longest silence that does not count as a time when the service was down. */
const SILENCE_MS = 3 * ALIVE_EVERY_MS;

export async function startSteppedService(
  env: Record<string, string | undefined>,
  start: number,
): Promise<SteppedService> {
  let at = start;
  const time: TimeSource = { wall: () => at, steady: () => at - start, uptime: () => at - start, boot: undefined };
  const tasks: (LeaderTask & { ran: number })[] = [];
  const config = readConfig(env);
  const service = await startService(
    {
      ...env,
      // Only this process reaches it.
      HOST: '127.0.0.1',
      PORT: '0',
      TUNNEL_PORT: '0',
      METRICS_PORT: undefined,
      TLS_CERT: undefined,
      TLS_KEY: undefined,
      // Nobody wants the backups of a month that never was.
      BACKUP_DIR: undefined,
      BACKUP_EVERY: undefined,
      PUBLIC_URL: publicUrlOf(config, config.port),
    },
    {
      time,
      openWork: (given) => {
        tasks.push(...given.map((task) => ({ ...task, ran: start })));
        return { close: async () => {} };
      },
    },
  );
  const { db } = service.context;
  return {
    service,
    address: `http://127.0.0.1:${service.port}`,
    now: () => at,
    stepTo: async (to, { down = false } = {}) => {
      if (!down)
        await db.write(async (tx) => {
          for (let alive = at + SILENCE_MS; alive < to; alive += SILENCE_MS) await noteAlive(tx, alive);
          await noteAlive(tx, to);
        });
      at = to;
      if (down) await db.write((tx) => noteAlive(tx, to));
    },
    work: async () => {
      for (const task of tasks) {
        if (at - task.ran < task.everyMs) continue;
        task.ran = at;
        await task.run();
      }
    },
    settle: async () => {
      // What a request changes for agents is read in a unit of work of its own, and then sent.
      for (let round = 0; round < 2; round++) {
        await setImmediate();
        await db.write(async () => {});
      }
      for (let round = 0; round < 3; round++) await setImmediate();
    },
  };
}
