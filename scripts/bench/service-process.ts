// The measured service, in a process of its own so that the measurement does not affect it. Beside it, a bare HTTP
// server and a bare WebSocket server that only send: the lower limit on this machine. The parent process controls it by
// messages.
import { createServer } from 'node:http';
import { readdirSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WebSocketServer, type WebSocket } from 'ws';
import { startService } from '../../server/service.ts';
import { FIRST_ACCOUNT } from '../../server/store/accounts.ts';
import { insertRow } from '../../server/store/database.ts';
import { postgresDialect } from '../../server/store/dialect.ts';
import { insertDevice, placeDevice } from '../../server/store/devices.ts';
import { addTotals } from '../../server/store/state-totals.ts';
import { newId } from '../../server/store/ids.ts';

/** The parent's requests and their answers. */
export interface Requests {
  addresses: { ask: null; answer: { url: string; bare: string; token: string } };
  /** Adds devices to the store; returns their keys if agents need them. */
  devices: { ask: { count: number; group: string; keys: boolean }; answer: { keys: string[] } };
  /**
   * Writes so many changes a day of each device's state, for the days until now, with their totals, and spreads the
   * devices over sites; returns what the changes need on disk.
   */
  states: { ask: { days: number; changes: number }; answer: { bytes: number } };
  /** Adds the totals of the newest changes again, of about so many; returns how many these are a second. */
  totals: { ask: { changes: number }; answer: { rate: number } };
  /** A job that has ended on so many devices of a group, each with a kilobyte of output; returns its id. */
  ended: { ask: { count: number; group: string; name: string }; answer: { job: string } };
  /** After a garbage collection; `peak`: the maximum so far. */
  memory: { ask: null; answer: { rss: number; heap: number; peak: number } };
  /** Milliseconds of processor time of this process so far: on a busy machine more accurate than a clock. */
  processor: { ask: null; answer: { used: number } };
  /** Milliseconds of the longest delay of the event loop since the request before; the first one starts the measurement. */
  loopDelay: { ask: null; answer: { longest: number } };
  /** Sets the answer of the bare server. */
  bareAnswer: { ask: { body: string }; answer: null };
  /** Runs a job on every agent of the bare WebSocket server. */
  bareJobs: { ask: { command: string }; answer: null };
  stop: { ask: null; answer: null };
}

const DEVICES_A_UNIT = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const service = await startService(process.env);
const { db, order } = service.context;

const loopDelay = monitorEventLoopDelay();
let body = Buffer.alloc(0);
const agents = new Set<WebSocket>();
const bare = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', body.length);
  response.end(body);
});
new WebSocketServer({ server: bare, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('close', () => agents.delete(socket));
  socket.on('message', (frame) => {
    const { type, job } = JSON.parse((frame as Buffer).toString()) as { type: string; job?: string };
    if (type === 'hello') {
      agents.add(socket);
      socket.send(JSON.stringify({ type: 'welcome', version: 1, device: 'bare', name: 'bare' }));
    } else if (type === 'ended') socket.send(JSON.stringify({ type: 'settled', job }));
  });
});
await new Promise<void>((done) => bare.listen(0, '127.0.0.1', done));

/** What the changes of states need on disk. */
async function historyBytes(): Promise<number> {
  if (db.dialect === postgresDialect)
    return (await db.get<{ bytes: number }>("SELECT pg_total_relation_size('state_changes') AS bytes"))?.bytes ?? 0;
  const { dataDir } = service.context.config;
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.db'))
    .reduce((sum, { name }) => sum + statSync(join(dataDir, name)).size, 0);
}

const answers: { [Name in keyof Requests]: (ask: Requests[Name]['ask']) => Promise<Requests[Name]['answer']> } = {
  addresses: async () => ({
    url: service.url,
    bare: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    token: service.token ?? '',
  }),
  devices: async ({ count, group, keys }) => {
    const made: string[] = [];
    for (let from = 0; from < count; from += DEVICES_A_UNIT)
      await db.write(async (tx) => {
        for (let i = from; i < Math.min(count, from + DEVICES_A_UNIT); i++) {
          const draft = { DeviceName: `${group}-${String(i).padStart(6, '0')}`, DeviceGroup: group };
          const { seq, key } = await insertDevice(tx, FIRST_ACCOUNT, draft, Date.now());
          await placeDevice(tx, seq, {
            Lat: ((i * 7919) % 16_000) / 100 - 80,
            Lng: ((i * 104_729) % 36_000) / 100 - 180,
          });
          order.added(tx, FIRST_ACCOUNT);
          if (keys) made.push(key);
        }
      });
    return { keys: made };
  },
  states: async ({ days, changes }) => {
    const begin = Date.now() - days * DAY_MS;
    await db.write((tx) => tx.run("UPDATE devices SET site = 'site ' || (seq % 500), created = ?", begin));
    const before = await historyBytes();
    for (let day = 0; day < days; day++)
      await db.write((tx) =>
        // Devices change at different times, but each regularly.
        tx.run(
          `WITH RECURSIVE steps (step, nth) AS (
             SELECT 0, CAST(?4 AS BIGINT) UNION ALL SELECT step + 1, nth + 1 FROM steps WHERE step < ?1 - 1)
           INSERT INTO state_changes (at, device_seq, cause, online_before, number)
           SELECT CAST(?2 AS BIGINT) + step * CAST(?3 AS BIGINT) + (seq * 7919) % ?3 AS at, seq,
             1 + nth % 2, (nth + 1) / 2 * ?3, nth + 1 FROM steps CROSS JOIN devices ORDER BY at, seq`,
          changes,
          begin + day * DAY_MS,
          Math.floor(DAY_MS / changes),
          day * changes,
        ),
      );
    await db.write((tx) =>
      tx.run(
        `INSERT INTO state_totals (one, at, device_seq)
         SELECT 1, at, device_seq FROM state_changes WHERE at = (SELECT max(at) FROM state_changes) LIMIT 1
         ON CONFLICT (one) DO UPDATE SET at = excluded.at, device_seq = excluded.device_seq`,
      ),
    );
    // All of it was unknown until now.
    await db.write((tx) => tx.run('UPDATE service_gaps SET to_time = ? WHERE from_time = 0', begin));
    return { bytes: (await historyBytes()) - before };
  },
  totals: async ({ changes }) => {
    await db.write((tx) =>
      tx.run('UPDATE state_totals SET at = (SELECT at FROM state_changes ORDER BY at DESC LIMIT 1 OFFSET ?)', changes),
    );
    const begun = performance.now();
    while (await addTotals(db, Date.now()));
    return { rate: (changes * 1000) / (performance.now() - begun) };
  },
  ended: async ({ count, group, name }) => {
    await answers.devices({ count, group, keys: false });
    const job = newId();
    await db.write(async (tx) => {
      const at = Date.now();
      const of = { status: 'Succeeded', created: at, started: at, ended: at };
      const seq = await insertRow(
        tx,
        `INSERT INTO jobs (id, account_id, device_id, device_name, device_group, name, rule_name, command, status, created, started, ended)
         VALUES (?, ?, '', '', ?, ?, ?, 'true', ?, ?, ?, ?)`,
        job,
        FIRST_ACCOUNT,
        group,
        name,
        name,
        ...Object.values(of),
      );
      await tx.run('INSERT INTO job_counts (job_seq, succeeded) VALUES (?, ?)', seq, count);
      await tx.run(
        `INSERT INTO jobs (id, account_id, parent_seq, device_seq, device_id, device_name, attempt, name, status, created,
           started, ended, exit_code, output_bytes)
         SELECT id || '-job', account_id, ?, seq, id, name, 1, ?, ?, ?, ?, ?, 0, 1024 FROM devices WHERE grp = ?`,
        seq,
        name,
        ...Object.values(of),
        group,
      );
      await tx.run(
        `INSERT INTO job_output (job_seq, stream, "offset", bytes) SELECT seq, 1, 0, ? FROM jobs WHERE parent_seq = ?`,
        Buffer.from(`${'step: nothing to report here\n'.repeat(34)}all good\n`),
        seq,
      );
    });
    return { job };
  },
  memory: async () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heap: heapUsed + external, peak: process.resourceUsage().maxRSS * 1024 };
  },
  processor: async () => {
    const { user, system } = process.cpuUsage();
    return { used: (user + system) / 1000 };
  },
  loopDelay: async () => {
    loopDelay.enable();
    const longest = loopDelay.max / 1e6;
    loopDelay.reset();
    return { longest };
  },
  bareAnswer: async (ask) => {
    body = Buffer.from(ask.body);
    return null;
  },
  bareJobs: async ({ command }) => {
    let number = 0;
    for (const socket of agents)
      socket.send(
        JSON.stringify({
          type: 'run',
          job: `job${number++}`,
          command,
          timeLimitSeconds: 60,
          outputLimit: 1024,
          have: { stdout: 0, stderr: 0 },
        }),
      );
    return null;
  },
  stop: async () => {
    for (const socket of agents) socket.terminate();
    bare.close();
    bare.closeAllConnections();
    await service.close();
    return null;
  },
};

process.on('message', ({ id, name, ask }: { id: number; name: keyof Requests; ask: never }) => {
  answers[name](ask).then(
    (answer) => {
      process.send?.({ id, answer });
      if (name === 'stop') process.disconnect();
    },
    (cause: unknown) => process.send?.({ id, error: String(cause) }),
  );
});
process.send?.({ id: 0, answer: null });
