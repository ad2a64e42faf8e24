// For tests of tunnels: a device with a real agent, and visitors. Names below localhost do not resolve in Node, so a
// visitor connects to the address and sends the name as Host.
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { NewDevice } from '#/contract/devices.ts';
import type { Tunnel } from '#/contract/tunnels.ts';
import { scratch, spawnAgent } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
import type { TestProcess } from '../../scripts/test-process.ts';
import type { TestService } from '../test-service.ts';

/** Starts a server on this machine and returns its port. */
export async function listening(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

export const tunnelsOf = async (service: TestService) =>
  (await (await service.call('GET', '/v1/tunnels')).json()) as Tunnel[];

/** A device whose agent can be ended and started again. */
export class TunnelDevice {
  readonly #service: TestService;
  readonly #at = scratch();
  readonly #args: string[];
  readonly id: string;
  readonly key: string;
  agent: TestProcess | undefined;

  constructor(service: TestService, device: NewDevice, args: string[]) {
    this.#service = service;
    this.id = device.DeviceId;
    this.key = device.DeviceKey;
    this.#args = args;
  }

  static async start(service: TestService, args: string[]): Promise<TunnelDevice> {
    const made = await service.call('POST', '/v1/devices', { DeviceName: 'box', DeviceGroup: '' });
    const device = new TunnelDevice(service, (await made.json()) as NewDevice, args);
    await device.start();
    return device;
  }

  /** Starts the agent and waits for its tunnels. */
  async start(): Promise<void> {
    const args = ['--server', this.#service.url, ...this.#args];
    const agent = spawnAgent(args, this.#at.folder, { DEVICE_KEY: this.key });
    this.agent = agent;
    const named = this.#args.filter((arg) => arg === '--tunnel').length;
    await until('the tunnels', () => (agent.printed.match(/^Tunnel to/gm)?.length ?? 0) >= named);
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.agent?.end(signal);
  }

  async remove(): Promise<void> {
    await this.end();
    this.#at.remove();
  }

  /** Its tunnel to this destination. */
  async tunnel(dest: string): Promise<Tunnel> {
    const found = (await tunnelsOf(this.#service)).find((one) => one.DeviceId === this.id && one.LocalDest === dest);
    if (!found) throw new Error(`There is no tunnel to ${dest}`);
    return found;
  }
}

export interface Visit {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | NodeJS.ReadableStream;
}

/** Sends a request to a tunnel; resolves with the head of the answer. */
export async function visit(url: string, { method, path, headers, body }: Visit = {}): Promise<IncomingMessage> {
  const { host, port } = new URL(url);
  const sent = request({
    host: '127.0.0.1',
    port,
    method: method ?? 'GET',
    path: path ?? '/',
    headers: { Host: host, ...headers },
    agent: false,
  });
  // After the head, errors are reported by the answer.
  sent.on('error', () => {});
  if (body === undefined || typeof body === 'string') sent.end(body);
  else body.pipe(sent);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

export async function knock(port: number | string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

/** Sends bytes unchanged, and returns everything until the other side ends. */
export async function raw(port: number | string, text: string): Promise<string> {
  const socket = await knock(port);
  socket.write(text);
  const answer = await textOf(socket);
  // Its own side would stay open.
  socket.destroy();
  return answer;
}
