// The TCP ports of tunnels. Each tunnel has one from a configured range, which is open only while its device is
// connected, so that visitors are refused immediately at other times.
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { joinStreams, resetConnection } from '#/contract/tunnel-carrier.ts';
import { BACKLOG } from '../http/listen.ts';
import type { Reader } from '../store/database.ts';
import { isPortOfTunnel, portsOfTunnels } from '../store/tunnels.ts';
import type { LiveTunnel } from './live-tunnel.ts';

/** How many ports are tried individually, and how far apart they are. */
const ATTEMPTS = 8;
const STRIDE = 101;

export interface TcpPort {
  port: number;
  /** Connects visitors to this tunnel until the tunnel ends. */
  serve(tunnel: LiveTunnel): void;
  close(): void;
}

export interface TcpPorts {
  /** Listens on the wanted port, or on a free one; undefined if there is none. */
  listen(wanted: number | undefined): Promise<TcpPort | undefined>;
  close(): Promise<void>;
}

export function openTcpPorts(db: Reader, host: string, { first, last }: { first: number; last: number }): TcpPorts {
  const open = new Set<Server>();
  const inUse = new Map<number, Promise<void>>();

  const tryPort = async (port: number): Promise<TcpPort | undefined> => {
    // The port's previous server may still be closing.
    await inUse.get(port);
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true, keepAlive: true });
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port, host, backlog: BACKLOG }, () => resolve(true));
    });
    if (!listening) return undefined;
    open.add(server);
    inUse.set(
      port,
      new Promise((resolve) => {
        server.once('close', () => {
          open.delete(server);
          inUse.delete(port);
          resolve();
        });
      }),
    );
    let serving: LiveTunnel | undefined;
    server.on('connection', (socket) => {
      if (serving) void carry(serving, socket);
      else socket.destroy();
    });
    const close = () => void server.close();
    return {
      port,
      close,
      serve: (tunnel) => {
        serving = tunnel;
        tunnel.whenEnded(close);
      },
    };
  };

  return {
    listen: async (wanted) => {
      if (wanted !== undefined && wanted >= first && wanted <= last) {
        const port = await tryPort(wanted);
        if (port) return port;
      }
      const count = last - first + 1;
      const start = Math.floor(Math.random() * count);
      // Usually most ports are free. If there are hardly more ports than tunnels, all of them are checked below.
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const number = first + ((start + attempt * STRIDE) % count);
        if ((await isPortOfTunnel(db, number)) || inUse.has(number)) continue;
        const port = await tryPort(number);
        if (port) return port;
      }
      const taken = new Set(await portsOfTunnels(db));
      for (let step = 0; step < count; step += 1) {
        const number = first + ((start + step) % count);
        if (taken.has(number) || inUse.has(number)) continue;
        const port = await tryPort(number);
        if (port) return port;
      }
      return undefined;
    },
    close: async () => {
      for (const server of open) server.close();
      await Promise.all(inUse.values());
    },
  };
}

async function carry(tunnel: LiveTunnel, socket: Socket): Promise<void> {
  tunnel.enter(socket);
  socket.on('error', () => {});
  socket.once('close', () => tunnel.leave(socket));
  try {
    const stream = await tunnel.dial();
    stream.on('data', (piece: Buffer) => tunnel.carriedOut(piece.length));
    socket.on('data', (piece: Buffer) => tunnel.carriedIn(piece.length));
    joinStreams(stream, socket);
  } catch {
    resetConnection(socket);
  }
}
