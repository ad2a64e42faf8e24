// Many agents with a TCP tunnel each: what an idle tunnel and an idle carrier cost the service, and how long a request
// takes through any of them.
import { once } from 'node:events';
import { connect } from 'node:net';
import { TestProcess } from '../test-process.ts';
import { withService } from './measured-service.ts';
import { kilobytes, milliseconds, perSecond, type Row, type Sizes } from './section.ts';
import type { TunnelFleet } from './tunnel-agents.ts';

/** Below the ports from which this machine's own connections start. */
const TCP_PORTS = '10000-32000';
const VISITORS = 16;
const REQUESTS = 2_000;
/** A carrier that nobody uses closes after a minute. */
const OPEN_MS = 60_000;

export const carrierRows = ({ agents }: Sizes): Promise<Row[]> =>
  withService(
    async ({ url, send }) => {
      const { keys } = await send('devices', { count: agents, group: 'bench', keys: true });
      const before = await send('memory', null);
      const fleet = new TestProcess(['scripts/bench/tunnel-agents.ts']);
      try {
        const each = (bytes: number) => kilobytes(bytes / agents);
        const begun = performance.now();
        const used = await send('processor', null);
        fleet.child.send({ url, keys } satisfies TunnelFleet);
        const [ports] = (await Promise.race([
          once(fleet.child, 'message'),
          fleet.ended.then(() => Promise.reject(new Error(`The agents ended:\n${fleet.printed}`))),
        ])) as [number[]];
        const connected = performance.now() - begun;
        const connecting = (await send('processor', null)).used - used.used;
        const idle = await send('memory', null);

        const carried = performance.now();
        const first = await visits(ports);
        const carrying = performance.now() - carried;
        const open = await send('memory', null);
        const random = await visits(
          Array.from({ length: REQUESTS }, () => ports[Math.floor(Math.random() * ports.length)] ?? 0),
          1,
        );
        const closed = performance.now() - carried < OPEN_MS ? '' : '; the first carriers had closed again';
        const name = `${agents.toLocaleString('en-US')} agents with a TCP tunnel`;
        return [
          { what: `${name} each connect`, figure: perSecond(agents, connected, 'agents') },
          { what: "the service's processor time for one of them", figure: milliseconds(connecting / agents) },
          { what: 'an idle tunnel and its agent: growth of RSS', figure: each(idle.rss - before.rss) },
          { what: 'the same with an open carrier: growth of RSS', figure: each(open.rss - before.rss) },
          { what: 'of that, heap and buffers', figure: each(open.heap - before.heap) },
          { what: 'first visitors, which open the carriers', figure: perSecond(agents, carrying, 'carriers') },
          ...percentiles('the first request through a tunnel', first),
          ...percentiles(`a request through a random one${closed}`, random),
        ];
      } finally {
        await fleet.end('SIGKILL');
      }
    },
    { env: { TUNNEL_TCP_PORTS: TCP_PORTS } },
  );

function percentiles(what: string, times: number[]): Row[] {
  const sorted = times.toSorted((one, two) => one - two);
  const at = (part: number) => milliseconds(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
  return [
    { what: `${what}: median`, figure: at(0.5) },
    { what: `${what}: p99`, figure: at(0.99) },
  ];
}

/** Milliseconds of a connection and a request to each of these ports. */
async function visits(ports: number[], visitors = VISITORS): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const visitOn = async () => {
    while (next < ports.length) times.push(await visit(ports[next++] ?? 0));
  };
  await Promise.all(Array.from({ length: visitors }, visitOn));
  return times;
}

function visit(port: number): Promise<number> {
  const begun = performance.now();
  return new Promise((done, fail) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () =>
      socket.write('GET / HTTP/1.1\r\nHost: bench\r\n\r\n'),
    );
    socket.once('data', () => {
      done(performance.now() - begun);
      socket.destroy();
    });
    socket.on('error', fail).on('close', () => fail(new Error('A tunnel was cut without an answer.')));
  });
}
