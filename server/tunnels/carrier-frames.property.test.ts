// Carriers of hostile agents: whatever they send, the visitor's connection is settled, and other carriers work.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { createWebSocketStream, WebSocket } from 'ws';
import { TICKET_HEADER } from '#/contract/agent-link.ts';
import type { ServiceMessage } from '#/contract/agent-link.ts';
import { hostileSends, sendHostile } from '../../scripts/test-carrier-frames.ts';
import { until } from '../../scripts/test-process.ts';
import { holds } from '../../scripts/test-property.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { openCarriers } from './carriers.ts';
import { listening } from './test-tunnels.ts';

const carriers = openCarriers({ node: 'n', deviceOf: async () => 1, urlOf: async () => undefined });
const tickets: string[] = [];
const agent = {
  deviceSeq: 1,
  send: (message: ServiceMessage) => message.type === 'carry' && tickets.push(message.ticket),
} as unknown as AgentConnection;
const server = createServer().on('upgrade', (...request) => carriers.upgrade(...request));
let url: string;
before(async () => {
  url = `ws://127.0.0.1:${await listening(server)}`;
});
after(() => {
  carriers.close();
  server.close();
});

/** Dials, and opens the carrier that was asked for; `begin` is called before anything arrives on it. */
async function open(begin: (socket: WebSocket) => void) {
  const dialled = carriers.dial(agent, 1);
  dialled.catch(() => {});
  const ticket = await until('a ticket', () => tickets.pop());
  const socket = new WebSocket(url, { headers: { [TICKET_HEADER]: ticket, Authorization: 'Bearer key' } });
  socket.on('error', () => {});
  socket.once('open', () => begin(socket));
  await once(socket, 'open');
  return { dialled, socket };
}

async function close(socket: WebSocket): Promise<void> {
  carriers.cut(agent);
  socket.resume();
  socket.terminate();
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
}

test('whatever an agent sends on a carrier, the connection of the visitor is settled, and the next carrier works', () =>
  holds(
    60,
    fc.asyncProperty(hostileSends('agent'), async (sends) => {
      const hostile = await open((opened) => sendHostile(opened, sends));
      await new Promise(setImmediate);
      await close(hostile.socket);
      const opened = await hostile.dialled.catch(() => undefined);
      if (opened?.destroyed === false) await once(opened, 'close').catch(() => {});

      const http2 = createHttp2Server().on('stream', (stream) => stream.respond({ ':status': 200 }));
      const { dialled, socket } = await open((honest) =>
        http2.emit(
          'connection',
          createWebSocketStream(honest).on('error', () => {}),
        ),
      );
      const stream = await dialled;
      const over = once(stream, 'close').catch(() => {});
      await close(socket);
      await over;
    }),
  ));
