// Pages in the devices' own networks, and which of them visitors reach: some devices offer a tunnel, others let the dashboard
// open one.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentOptions } from '../../agent/agent.ts';
import { readTunnels } from '../../agent/tunnel-options.ts';
import type { TunnelOption } from '../../agent/tunnel-options.ts';
import type { DemoDevice } from './fleet.ts';

type Reachable = Pick<AgentOptions, 'tunnels' | 'allowTunnels'>;

/** One in so many offers tunnels to its page, and one in so many lets the dashboard open one. */
const OFFERS_EVERY = 40;
const ALLOWS_EVERY = 10;

async function openPage(name: string): Promise<string> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(
      `<!doctype html><title>${name}</title><h1>${name}</h1><p>All is well here at ${new Date().toISOString()}.`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Open, with a login, or as a TCP port, too. */
function tunnelsTo(at: string, index: number): TunnelOption[] {
  const http = readTunnels([`http://${at}`], undefined);
  if (index % 3 === 0) return [...http, ...readTunnels([`tcp://${at}`], undefined)];
  return http.map((tunnel) => (index % 3 === 1 ? { ...tunnel, login: 'demo:demo' } : tunnel));
}

export async function openPages(devices: readonly DemoDevice[]): Promise<{ of: (device: DemoDevice) => Reachable }> {
  const reachable = new Map<DemoDevice, Reachable>();
  for (const device of devices) {
    const offers = device.index % OFFERS_EVERY === 6;
    if (!offers && device.index % ALLOWS_EVERY !== 0) continue;
    const at = await openPage(device.name);
    // Nothing of this machine but that page.
    reachable.set(device, { allowTunnels: at, ...(offers && { tunnels: tunnelsTo(at, device.index) }) });
  }
  return { of: (device) => reachable.get(device) ?? {} };
}
