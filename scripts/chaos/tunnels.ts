// Visitors of tunnels to the fleet. An answer is the one of that device's server or an error, never another's; what must
// not be repeated reaches the device at most once; and a tunnel keeps its name.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tunnel } from '#/contract/tunnels.ts';
import { PAUSE_MS, SETTLE_MS, type Run, type Scenario } from './scenario.ts';

const BETWEEN_VISITS_MS = 100;
const VISIT_LIMIT_MS = 10_000;
/** While the device or the service is away. */
const AWAY = new Set([502, 503, 504]);

/** A server of a device, on this machine: echoes paths, and counts what is posted. */
export class LocalServer {
  readonly #name: string;
  readonly #server: Server;
  /** Arrivals of each POST by its path. */
  readonly posted = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
    this.#server = createServer((incoming, response) => {
      const { method, url = '' } = incoming;
      if (method === 'POST') this.posted.set(url, (this.posted.get(url) ?? 0) + 1);
      incoming.resume();
      response.end(this.expected(url));
    });
  }

  expected(path: string): string {
    return `${this.#name} ${path}\n`.repeat(200);
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }
}

/** One request through a tunnel; `status` is 0 where no whole answer came. */
export async function visitTunnel(
  port: number,
  name: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  try {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { Host: `${name}.localhost`, ...headers },
      signal: AbortSignal.timeout(VISIT_LIMIT_MS),
    }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch {
    return { status: 0, body: '' };
  }
}

/** @param ports of the tunnels' visitors, one for each node @param servers of the fleet's devices, in their order */
export function tunnels({ client, fleet, isOver, random }: Run, ports: number[], servers: LocalServer[]): Scenario {
  const names = new Map<string, string>();
  const wrong: string[] = [];
  let visits = 0;
  let answered = 0;

  async function readNames(): Promise<void> {
    const answer = await client.attempt('GET', '/v1/tunnels');
    if (answer?.status !== 200) return;
    for (const { DeviceId = '', Name, LocalDest } of (await answer.json()) as Tunnel[]) {
      // Those that people open: opened-tunnels.ts.
      if (!LocalDest.includes('127.0.0.1')) continue;
      const known = names.get(DeviceId);
      if (known !== undefined && known !== Name) wrong.push(`the tunnel of ${DeviceId} was ${known}, and is ${Name}`);
      names.set(DeviceId, Name);
    }
  }

  async function visitOne(index: number, n: number): Promise<boolean> {
    const device = fleet[index];
    const server = servers[index];
    const name = names.get(device?.id ?? '');
    const port = ports[Math.floor(random() * ports.length)];
    if (!device || !server || name === undefined || port === undefined) return false;
    const method = n % 2 === 0 ? 'GET' : 'POST';
    const path = `/${index}/${n}`;
    const { status, body } = await visitTunnel(port, name, method, path);
    visits += 1;
    if (status === 200 && body !== server.expected(path))
      wrong.push(`${path}: ${body.length} characters of another answer`);
    else if (status !== 200 && status !== 0 && !AWAY.has(status))
      wrong.push(`${path}: ${status} ${body.slice(0, 200)}`);
    if (status === 200) answered += 1;
    return status === 200;
  }

  return {
    write: async () => {
      while (names.size < fleet.length && !isOver()) {
        await readNames();
        await sleep(PAUSE_MS);
      }
      for (let n = 0; !isOver(); n += 1) {
        if (n % 50 === 0) await readNames();
        await Promise.all([visitOne(n % fleet.length, n), sleep(BETWEEN_VISITS_MS)]);
      }
    },

    settle: async () => {
      await readNames();
      const deadline = performance.now() + SETTLE_MS;
      for (const [index, { id }] of fleet.entries()) {
        let isOpen = false;
        for (let n = 0; !isOpen && performance.now() < deadline; n += 1) {
          isOpen = await visitOne(index, 1_000_000 + n * 2);
          if (!isOpen) await sleep(PAUSE_MS);
        }
        if (!isOpen) wrong.push(`the tunnel of ${id} does not open again`);
      }
    },

    check: () => [
      { what: `visitors of tunnels got their device's answer (${answered}) or an error`, looked: visits, wrong },
      {
        what: 'no POST through a tunnel reached its device twice',
        looked: visits,
        wrong: servers.flatMap(({ posted }) => [...posted].filter(([, times]) => times > 1).map(([path]) => path)),
      },
    ],

    close: async () => {
      for (const server of servers) await server.close();
    },
  };
}
