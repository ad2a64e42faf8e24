// The network between the service and all others: a TCP relay that can cut every connection or block all data.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  /** The address for agents and clients. */
  url: string;
  /** Ends every connection at once, with a reset. */
  cut(): void;
  /** While true no data passes in either direction, and neither side notices. */
  silence(on: boolean): void;
  /** Passes this text on, and nothing more on the connection that sent it. */
  loseAfter(text: string): void;
  /** Neither passes on a piece that matches, nor anything more on the connection that sent it. */
  loseFrom(pattern: RegExp): void;
  close(): Promise<void>;
}

/** Relays each connection to a process that listens on one of the ports of this machine then, chosen at random; the list
 * may change. */
export async function openRelay(ports: number[], random: () => number = Math.random): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let last: string | undefined;
  let from: RegExp | undefined;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => {});
    void connectToOne(ports.toSorted(() => random() - 0.5)).then((upstream) => {
      if (upstream) join(client, upstream);
      else client.resetAndDestroy();
    });
  });
  const join = (client: Socket, upstream: Socket) => {
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('end', () => other.end());
      const fallSilent = () => {
        for (const side of [socket, other]) side.removeAllListeners('drain').pause();
      };
      socket.on('data', (piece) => {
        if (from?.test(piece.toString('latin1'))) {
          from = undefined;
          return fallSilent();
        }
        if (!other.write(piece)) socket.pause();
        if (last === undefined || !piece.includes(last)) return;
        last = undefined;
        fallSilent();
      });
      socket.on('drain', () => {
        if (!isSilent) other.resume();
      });
      if (isSilent) socket.pause();
      else socket.resume();
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    silence: (on) => {
      isSilent = on;
      for (const socket of sockets)
        if (on) socket.pause();
        else socket.resume();
    },
    loseAfter: (text) => {
      last = text;
    },
    loseFrom: (pattern) => {
      from = pattern;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first of the ports that accepts a connection. */
async function connectToOne(ports: number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      // This process was killed.
    }
  }
  return undefined;
}
