// The agent's side of a carrier: whatever the service sends on it, the carrier ends, and the agent goes on.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { WebSocketServer, type WebSocket } from 'ws';
import { hostileSends, sendHostile } from '../scripts/test-carrier-frames.ts';
import { holds } from '../scripts/test-property.ts';
import { TunnelCarrier } from './tunnel-carrier.ts';

test('whatever the service sends on a carrier, it ends with its connection', async () => {
  const service = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(service, 'listening');
  const url = new URL(`ws://127.0.0.1:${(service.address() as AddressInfo).port}`);
  await holds(
    60,
    fc.asyncProperty(hostileSends('service'), async (sends) => {
      const connected = once(service, 'connection');
      const over = new Promise<void>((ended) => {
        // Nothing listens on that port.
        const destination = (id: number) => (id < 5 ? { host: '127.0.0.1', port: 1 } : undefined);
        void new TunnelCarrier({
          url,
          key: 'key',
          ticket: 'ticket',
          destination,
          wayTo: async () => undefined,
          failed: () => {},
          ended,
        });
      });
      const [socket] = (await connected) as [WebSocket];
      socket.on('error', () => {});
      sendHostile(socket, sends);
      await new Promise(setImmediate);
      socket.resume();
      socket.terminate();
      await over;
    }),
  );
  service.close();
});
