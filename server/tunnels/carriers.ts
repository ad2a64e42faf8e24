// The service's side of carriers: one WebSocket for each agent that has visitors, which the agent opens on request,
// with HTTP/2 on top. Each stream is a connection to a destination on the device.
import { randomBytes } from 'node:crypto';
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { LOST_AFTER_MS, TICKET_HEADER } from '#/contract/agent-link.ts';
import {
  ASKED_PATH,
  CARRIER_SETTINGS,
  CARRIER_WINDOW,
  DESTINATION_HEADER,
  MAX_CARRIER_FRAME,
  sendAsMessages,
} from '#/contract/tunnel-carrier.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { refuseFailed } from '../http/end-socket.ts';
import { Problem } from '../http/problem.ts';
import { bearerOf } from '../http/bearer.ts';
import type { CarrierRelay } from './carrier-relay.ts';

/** The destination cannot be reached; `away` says whether the device or its local service is the reason. */
export class Unreachable extends Error {
  readonly away: 'device' | 'service';
  constructor(away: 'device' | 'service', why: string) {
    super(why);
    this.away = away;
  }
}

export interface Carriers {
  /** Handles the request of an agent that opens a requested carrier. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Connects to the agent's destination with this number, or at this address if the agent allows it. */
  dial(agent: AgentConnection, tunnel: number | string): Promise<ClientHttp2Stream>;
  /** Cuts all connections through this agent. */
  cut(agent: AgentConnection): void;
  close(): void;
}

interface Carrier {
  session: Promise<ClientHttp2Session>;
  arrived(session: ClientHttp2Session): void;
  failed(cause: Error): void;
  end(): void;
  streams: number;
}

const DIAL_TIMEOUT_MS = 15_000;
/** A carrier without streams closes after this long. */
const UNUSED_MS = 60_000;
const MAX_STREAMS = 10_000;

export interface CarriersOptions {
  /** Id of this node. */
  node: string;
  /** Looks up the device with this key. */
  deviceOf: (key: string) => Promise<number | undefined>;
  /** Undefined without a cluster. */
  relay?: CarrierRelay | undefined;
  /** Looks up the address of another node. */
  urlOf: (node: string) => Promise<string | undefined>;
}

export function openCarriers({ node, deviceOf, relay, urlOf }: CarriersOptions): Carriers {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_CARRIER_FRAME,
    clientTracking: false,
  });
  /** Additional headers of responses to other nodes. */
  const answers = new WeakMap<IncomingMessage, Record<string, string>>();
  server.on('headers', (lines, request) => {
    for (const [name, value] of Object.entries(answers.get(request) ?? {})) lines.push(`${name}: ${value}`);
  });
  const carriers = new Map<AgentConnection, Carrier>();
  /** Tickets of requested carriers, with their agents. */
  const asked = new Map<string, AgentConnection>();

  const ask = (agent: AgentConnection): Carrier => {
    const ticket = `${node}-${randomBytes(24).toString('base64url')}`;
    let arrived: Carrier['arrived'] = () => {};
    let failed: Carrier['failed'] = () => {};
    const session = new Promise<ClientHttp2Session>((resolve, reject) => {
      arrived = resolve;
      failed = reject;
    });
    session.catch(() => {});
    const carrier: Carrier = { session, arrived, failed, end: () => {}, streams: 0 };
    carriers.set(agent, carrier);
    asked.set(ticket, agent);
    const late = setTimeout(() => {
      failed(new Unreachable('device', 'The agent did not dial in time'));
      if (carriers.get(agent) === carrier) carriers.delete(agent);
    }, DIAL_TIMEOUT_MS);
    const settled = () => {
      clearTimeout(late);
      asked.delete(ticket);
    };
    session.then(settled, settled);
    agent.send({ type: 'carry', ticket });
    return carrier;
  };

  const begin = (agent: AgentConnection, carrier: Carrier, socket: WebSocket, line: Duplex) => {
    const duplex = createWebSocketStream(socket);
    duplex.on('error', () => {});
    sendAsMessages<Buffer>(duplex, socket, line, (some) => Buffer.concat(some));
    const session = connect('http://device', {
      ...CARRIER_SETTINGS,
      peerMaxConcurrentStreams: MAX_STREAMS,
      createConnection: () => duplex,
    });
    const over = (why: string) => {
      if (carriers.get(agent) === carrier) carriers.delete(agent);
      // Always with an error, or truncated data would look complete.
      if (!session.destroyed) session.destroy(new Error(why), constants.NGHTTP2_INTERNAL_ERROR);
      socket.terminate();
    };
    carrier.end = () => over('The tunnel was cut');
    let lastHeard = performance.now();
    let used = lastHeard;
    const alive = () => (lastHeard = performance.now());
    socket.on('ping', alive).on('message', alive);
    const watch = setInterval(() => {
      const now = performance.now();
      if (socket.isPaused) alive();
      if (carrier.streams > 0) used = now;
      if (now - lastHeard > LOST_AFTER_MS) over('The agent went silent');
      else if (now - used > UNUSED_MS) {
        if (carriers.get(agent) === carrier) carriers.delete(agent);
        session.close();
      }
    }, 5_000).unref();
    socket.on('close', () => over('The agent hung up'));
    session.on('error', () => over('The carrier broke'));
    session.on('close', () => {
      clearInterval(watch);
      over('The carrier was closed');
    });
    session.once('connect', () => session.setLocalWindowSize(CARRIER_WINDOW));
    carrier.arrived(session);
  };

  /** The device that authenticated by its key, here or at the node where its request arrived. */
  const senderOf = async (request: IncomingMessage) => {
    const vouched = relay?.accept(request.headers);
    if (vouched) return vouched;
    const key = bearerOf(request.headers.authorization ?? '');
    const device = key === undefined ? undefined : await deviceOf(key);
    if (device === undefined)
      throw new Problem(401, 'Unknown device key', 'Check the key, or make a new one on the page of the device.');
    return { device, headers: undefined };
  };

  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const ticket = request.headers[TICKET_HEADER];
    const unknown = () => new Problem(403, 'Nobody asked for this', 'The ticket is unknown or was used.');
    if (typeof ticket !== 'string') throw unknown();
    const asking = ticket.split('-')[0] ?? '';
    if (asking === node && !asked.has(ticket)) throw unknown();
    const { device, headers } = await senderOf(request);
    if (asking !== node) {
      // A relayed request is never relayed again.
      const url = relay && !headers ? await urlOf(asking) : undefined;
      if (!relay || url === undefined) throw unknown();
      relay.pass({ node: asking, url }, { ticket, device, request, socket, head });
      return;
    }
    const agent = asked.get(ticket);
    const carrier = agent && carriers.get(agent);
    // A ticket is for one device, and an attempt by another device does not use it up.
    if (!carrier || agent.deviceSeq !== device) throw unknown();
    asked.delete(ticket);
    if (headers) answers.set(request, headers);
    server.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      if (carriers.get(agent) === carrier) begin(agent, carrier, opened, socket);
      else opened.terminate();
    });
  };

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', () => {});
      admit(request, socket, head).catch((cause: unknown) => refuseFailed(socket, 'tunnels', cause));
    },

    dial: async (agent, tunnel) => {
      const carrier = carriers.get(agent) ?? ask(agent);
      const session = await carrier.session;
      if (session.closed || session.destroyed) throw new Unreachable('device', 'The carrier is gone');
      const path =
        typeof tunnel === 'number' ? { ':path': `/${tunnel}` } : { ':path': ASKED_PATH, [DESTINATION_HEADER]: tunnel };
      const stream = session.request({ ':method': 'POST', ...path }, { endStream: false });
      carrier.streams += 1;
      stream.once('close', () => (carrier.streams -= 1));
      return new Promise((resolve, reject) => {
        const failed = (cause: unknown) =>
          reject(new Unreachable('device', cause instanceof Error ? cause.message : 'The connection was cut'));
        stream.once('error', failed).once('close', failed);
        stream.once('response', (headers) => {
          // The caller gets the stream a moment later, and finds it destroyed if it was cut in between.
          stream
            .on('error', () => {})
            .off('error', failed)
            .off('close', failed);
          if (headers[':status'] === 200) return resolve(stream);
          stream.destroy();
          const why = headers['reason'];
          reject(new Unreachable('service', typeof why === 'string' ? why : 'The device refused the connection'));
        });
      });
    },

    cut: (agent) => {
      const carrier = carriers.get(agent);
      carriers.delete(agent);
      carrier?.failed(new Unreachable('device', 'The device went away'));
      carrier?.end();
    },

    close: () => {
      for (const carrier of carriers.values()) {
        carrier.failed(new Unreachable('device', 'The service is stopping'));
        carrier.end();
      }
      server.close();
    },
  };
}
