// Faults of the service, its network, its disk, its clock and its agents during the writes. When a fault's promise
// resolves, the fault is over and undone.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefused, type Device } from './devices.ts';
import type { PostgresServer } from '../engines/postgres-server.ts';
import type { Relay } from './relay.ts';
import type { FaultyService } from './service-process.ts';
import type { SmallDisk } from './small-disk.ts';
import { scriptForm, type Client } from './writer.ts';

export interface Target {
  /** The service, or its nodes. */
  services: FaultyService[];
  /** Its database, if that is not embedded. */
  postgres: PostgresServer | undefined;
  /** Between all others and the service. */
  relay: Relay;
  /** Between each node and PostgreSQL. */
  databaseRelays: Relay[];
  disk: SmallDisk | undefined;
  devices: Device[];
  /** A device for agents with another protocol version. */
  refused: { key: string };
  client: Client;
  /** 0 ≤ n < 1; the same sequence for the same seed. */
  random: () => number;
  /** Errors that a fault revealed. */
  wrong: string[];
  /** Leaves out what takes half a minute. */
  isShort: boolean;
}

/** Longer than the service and its agents wait for each other before they give a connection up. */
const SILENCE_MS = 40_000;
const NODE_PAUSE_MS = 60_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const YEARS_10 = 10 * 365 * 24 * 3600_000;

const anyOf = <T>(target: Target, list: T[]): T => {
  const found = list[Math.floor(target.random() * list.length)];
  if (found === undefined) throw new Error('Nothing to choose from');
  return found;
};

export const faults = {
  'kill -9 of the service': async (target) => {
    const service = anyOf(target, target.services);
    await service.end('SIGKILL');
    await service.start();
  },
  'stop of the service': async (target) => {
    const service = anyOf(target, target.services);
    await service.end('SIGTERM');
    await service.start();
  },
  'kill -9 of PostgreSQL': async ({ postgres, random }) => {
    await postgres?.kill();
    await sleep(random() * 2_000);
    await postgres?.start();
  },
  'messages between nodes cut off': async ({ postgres }) => {
    if (!postgres) return;
    const { Client: Connection } = await import('pg');
    const connection = new Connection({ connectionString: postgres.url });
    await connection.connect();
    await connection.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'muster bus'",
    );
    await connection.end();
  },
  'kill -9 of an agent': async (target) => {
    const device = anyOf(target, target.devices);
    await device.kill();
    device.start();
  },
  'power cut of a device': async (target) => {
    const device = anyOf(target, target.devices);
    await device.cutPower();
    device.start();
  },
  'every connection cut': async ({ relay }) => relay.cut(),
  'silent network': async ({ relay }) => {
    relay.silence(true);
    await sleep(1_500);
    relay.silence(false);
  },
  'full disk': async (target) => {
    const { disk, client, wrong } = target;
    const [service] = target.services;
    if (!disk || !service) return;
    const made = await client.attempt('POST', '/v1/artifact', scriptForm('doomed.sh', 'x'.repeat(50_000), '/tmp'));
    disk.fill();
    try {
      if (target.random() < 0.5) {
        await service.end('SIGKILL');
        await service.start().catch((cause: unknown) => wrong.push(`no start on a full disk: ${String(cause)}`));
      }
      const read = await client.attempt('GET', '/v1/account');
      if (read?.status !== 200) wrong.push(`reading on a full disk: ${read?.status ?? 'no answer'}`);
      if (made?.status === 200) {
        const { ArtifactId } = (await made.json()) as { ArtifactId: string };
        const removed = await client.attempt('DELETE', `/v1/artifact/${ArtifactId}`);
        if (removed?.status !== 200)
          wrong.push(`deleting on a full disk: ${removed?.status ?? 'no answer'} ${(await removed?.text()) ?? ''}`);
      }
      await sleep(1_000);
    } finally {
      disk.free();
    }
  },
  'packets dropped until connections are given up': async ({ relay }) => {
    relay.silence(true);
    await sleep(SILENCE_MS);
    relay.silence(false);
  },
  'packets to PostgreSQL dropped': async (target) => {
    const cut = anyOf(target, target.databaseRelays);
    cut.silence(true);
    await sleep(5_000 + target.random() * 15_000);
    cut.silence(false);
  },
  'service suspended': async (target) => anyOf(target, target.services).pause(2_000 + target.random() * 6_000),
  'node suspended for a minute': async (target) => anyOf(target, target.services).pause(NODE_PAUSE_MS),
  'clock of one node a minute off': async (target) => {
    const node = anyOf(target, target.services);
    node.moveClock(target.random() < 0.5 ? MINUTE : -MINUTE);
    await sleep(3_000);
    node.moveClock(0);
  },
  'clocks a day ahead and back': async ({ services }) => {
    for (const service of services) service.moveClock(DAY);
    await sleep(1_500);
    for (const service of services) service.moveClock(0);
  },
  'clocks a day back and right again': async ({ services }) => {
    for (const service of services) service.moveClock(-DAY);
    await sleep(1_500);
    for (const service of services) service.moveClock(0);
  },
  'clock ten years ahead and back': async ({ services }) => {
    for (const service of services) service.moveClock(YEARS_10);
    await sleep(1_500);
    for (const service of services) service.moveClock(0);
  },
  'clock ten years back and right again': async ({ services }) => {
    for (const service of services) service.moveClock(-YEARS_10);
    await sleep(1_500);
    for (const service of services) service.moveClock(0);
  },
  'agent of another protocol version': async (target) => {
    const version = anyOf(target, ['older', 'newer'] as const);
    if (!(await isRefused(target.relay.url, target.refused.key, version)))
      target.wrong.push(
        `an agent of a${version === 'older' ? 'n older' : ' newer'} version was not sent away in words`,
      );
  },
} satisfies Record<string, (target: Target) => Promise<void> | void>;

export type FaultKind = keyof typeof faults;

/** Of an embedded database, and of nodes on PostgreSQL. */
const ONLY: Record<'embedded' | 'nodes', FaultKind[]> = {
  // The clocks of several machines are years apart by mistakes that no database could repair.
  embedded: ['full disk', 'clock ten years ahead and back', 'clock ten years back and right again'],
  nodes: [
    'kill -9 of PostgreSQL',
    'messages between nodes cut off',
    'packets to PostgreSQL dropped',
    'node suspended for a minute',
    'clock of one node a minute off',
  ],
};
const LONG: FaultKind[] = ['packets dropped until connections are given up', 'node suspended for a minute'];

/** The kinds of faults that a run can have. */
export function kindsFor({ disk, postgres, isShort }: Pick<Target, 'disk' | 'postgres' | 'isShort'>): FaultKind[] {
  const left = new Set<FaultKind>(ONLY[postgres ? 'embedded' : 'nodes']);
  if (!disk) left.add('full disk');
  if (isShort) for (const kind of LONG) left.add(kind);
  return (Object.keys(faults) as FaultKind[]).filter((kind) => !left.has(kind));
}
