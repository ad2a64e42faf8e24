// The service is killed and starts again at once: all agents come back. They are the connections of the real agent, so
// that they wait, are refused and try again as it does, over the time that the service asked for.
import { readFileSync } from 'node:fs';
import { Connection } from '../../agent/connection.ts';
import { freePort } from '../test-process.ts';
import { helloOf } from './fake-agents.ts';
import { LINK_VERSION } from '#/contract/agent-link.ts';
import { withService } from './measured-service.ts';
import { milliseconds, type Row, type Sizes } from './section.ts';

/** How many connect at a time before the restart. */
const DIALLING = 200;

export const restartRows = async ({ agents: count, postgres }: Sizes): Promise<Row[]> =>
  withService(
    async ({ url, send, restart }) => {
      const { keys } = await send('devices', { count, group: 'bench', keys: true });
      const agents = await connectAll(url, keys);

      const overflowsBefore = listenOverflows();
      const killed = performance.now();
      const back = agents.allWelcomed();
      await restart();
      const listening = performance.now();
      const [, started] = await Promise.all([send('loopDelay', null), send('processor', null)]);
      await back;
      const ended = performance.now();
      const [{ longest }, { used }] = await Promise.all([send('loopDelay', null), send('processor', null)]);
      const overflows = listenOverflows() - overflowsBefore;
      await agents.stop();

      return [
        {
          what: 'kill -9 and a start at once: until all agents are back',
          figure: milliseconds(ended - killed),
          against: { what: 'until the service listens again', figure: milliseconds(listening - killed) },
        },
        {
          what: 'processor time of the service until all are back',
          figure: milliseconds(used),
          against: { what: 'until it listens', figure: milliseconds(started.used) },
        },
        { what: 'longest delay of its event loop', figure: milliseconds(longest) },
        { what: 'attempts to connect', figure: { value: agents.lost() / count, unit: 'an agent' } },
        { what: 'connections that the listen queue dropped', figure: { value: overflows, unit: '' } },
      ];
    },
    { postgres, env: { PORT: String(await freePort()) } },
  );

/** Connects an agent for each key. */
async function connectAll(url: string, keys: readonly string[]) {
  let losses = 0;
  let away = new Set<number>();
  let whenAll: () => void = () => {};
  const allWelcomed = () => {
    away = new Set(keys.keys());
    losses = 0;
    return new Promise<void>((resolve) => (whenAll = resolve));
  };
  const waiting = new Map<number, () => void>();
  const connections = keys.map((key, number) => {
    return new Connection({
      server: url,
      key: () => key,
      linkVersion: LINK_VERSION,
      hello: () => helloOf(number),
      received: ({ type }) => {
        if (type !== 'welcome') return;
        waiting.get(number)?.();
        if (away.delete(number) && away.size === 0) whenAll();
      },
      lost: () => (losses += 1),
      log: () => {},
    });
  });
  // One that ends by itself would never be back.
  const ending = Promise.race(connections.map(({ ending: one }) => one)).then(({ line }) => {
    throw new Error(`An agent ended: ${line}`);
  });
  ending.catch(() => {});

  const entries = connections.entries();
  const dialOn = async () => {
    for (const [number, connection] of entries) {
      const welcomed = new Promise<void>((resolve) => waiting.set(number, resolve));
      connection.dial();
      await welcomed;
    }
  };
  await Promise.race([Promise.all(Array.from({ length: DIALLING }, dialOn)), ending]);
  return {
    /** Resolves when every agent had another welcome. */
    allWelcomed: () => Promise.race([allWelcomed(), ending]),
    /** Connections and attempts that failed since `allWelcomed`. */
    lost: () => losses,
    stop: async () => {
      await Promise.all(connections.map((connection) => connection.stop()));
    },
  };
}

/** Of this machine, since it started: connections that came while the queue of a listening socket was full. */
function listenOverflows(): number {
  const [names = [], values = []] = readFileSync('/proc/net/netstat', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('ListenOverflows')]);
}
