// The measured service, in a process of its own so that the measurement does not affect it. Beside it, a bare HTTP
// server and a bare WebSocket server that only send: the lower limit on this machine. The parent process controls it by
// messages.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WebSocketServer, type WebSocket } from 'ws';
import { startService } from '../../server/service.ts';
import { FIRST_ACCOUNT } from '../../server/store/accounts.ts';
import { perDialect } from '../../server/store/dialect.ts';
import { CAUSES, type Cause } from '../../server/store/state-history.ts';
import { addTotals } from '../../server/store/state-totals.ts';
import { insertDevice, placeDevice } from '../../server/store/devices.ts';

/** The parent's requests and their answers. */
export interface Requests {
  addresses: { ask: null; answer: { url: string; bare: string; token: string } };
  /** Adds devices to the store; returns their keys if agents need them. */
  devices: { ask: { count: number; group: string; keys: boolean }; answer: { keys: string[] } };
  /** Gives the devices of the store a past: each goes Offline and comes back, over the last hours, and some sites at once. */
  past: { ask: { changes: number; hours: number; sites: number }; answer: null };
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

/** Few in a unit of work: each statement takes longer the more pages its unit has changed. Many units share a commit. */
const DEVICES_A_UNIT = 10;
const UNITS_AT_ONCE = 50;
const ROWS_A_UNIT = 5_000;
const wholeNumber = (text: string) => `CAST(${text} AS BIGINT)`;
const NOTE_CHANGES = perDialect(
  (sql) => `INSERT INTO state_changes (at, device_seq, cause)
    SELECT ${['at', 'device_seq', 'cause'].map((name) => wholeNumber(sql.field('w.value', name))).join(', ')}
    FROM ${sql.list('w')} WHERE true ON CONFLICT DO NOTHING`,
);
const NOTE_LAST = perDialect(
  (sql) => `UPDATE devices SET created = ?2, site = ${sql.field('w.value', 'site')}, state_online = ?3,
    state_time = ${wholeNumber(sql.field('w.value', 'at'))}
    FROM ${sql.list('w')} WHERE devices.seq = ${wholeNumber(sql.field('w.value', 'seq'))}`,
);
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

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const answers: { [Name in keyof Requests]: (ask: Requests[Name]['ask']) => Promise<Requests[Name]['answer']> } = {
  addresses: async () => ({
    url: service.url,
    bare: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    token: service.token ?? '',
  }),
  devices: async ({ count, group, keys }) => {
    const made: string[] = [];
    const addUnit = (from: number) =>
      db.write(async (tx) => {
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
    for (let from = 0; from < count; from += UNITS_AT_ONCE * DEVICES_A_UNIT) {
      const units = Array.from({ length: UNITS_AT_ONCE }, (_, unit) => from + unit * DEVICES_A_UNIT);
      await Promise.all(units.filter((first) => first < count).map(addUnit));
    }
    return { keys: made };
  },
  past: async ({ changes, hours, sites }) => {
    const to = Date.now();
    const from = to - hours * 3_600_000;
    const seqs = (await db.all<{ seq: number }>('SELECT seq FROM devices ORDER BY seq')).map(({ seq }) => seq);
    const each = Math.floor(changes / seqs.length);
    const all: { at: number; device_seq: number; cause: Cause }[] = [];
    const last: { seq: number; site: string; at: number }[] = [];
    for (const [index, seq] of seqs.entries()) {
      const site = index % sites;
      const random = randomFrom(seq);
      const times = Array.from({ length: each }, () => Math.floor(from + random() * (to - from)));
      // Every tenth site goes down in the middle, its devices within seconds of each other.
      if (site % 10 === 0) times[0] = Math.floor((from + to) / 2 + site * 100 + random() * 5_000);
      times.sort((one, two) => one - two);
      for (const [number, at] of times.entries())
        all.push({ at, device_seq: seq, cause: number % 2 === 0 ? CAUSES.disconnected : CAUSES.connected });
      last.push({ seq, site: `Site ${site}`, at: times.at(-1) ?? from });
    }
    all.sort((one, two) => one.at - two.at || one.device_seq - two.device_seq);
    for (let first = 0; first < all.length; first += ROWS_A_UNIT)
      await db.write((tx) => tx.run(NOTE_CHANGES(tx), JSON.stringify(all.slice(first, first + ROWS_A_UNIT))));
    for (let first = 0; first < last.length; first += ROWS_A_UNIT)
      await db.write((tx) =>
        tx.run(
          NOTE_LAST(tx),
          JSON.stringify(last.slice(first, first + ROWS_A_UNIT)),
          from - 3_600_000,
          Number(each % 2 === 0),
        ),
      );
    // As in a service that has been running: the totals are counted soon after each change.
    while (await addTotals(db, to, ROWS_A_UNIT));
    return null;
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
