// Tunnels whose agents are connected to other nodes. For each dial, the visitor's node opens a connection to the
// agent's node: an upgraded HTTP request in which both prove that they are nodes (cluster/node-proof.ts), followed by
// the bytes of the destination. Each visit looks up in the database where the tunnel is. A dial names the session of
// the device, so that it never reaches a tunnel that was offered again since.
import { createHmac, timingSafeEqual, hash } from 'node:crypto';
import { request as askHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as askHttps } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { joinStreams } from '#/contract/tunnel-carrier.ts';
import type { NodeProofs } from '../cluster/node-proof.ts';
import { refuse } from '../http/end-socket.ts';
import { Problem } from '../http/problem.ts';
import type { Database } from '../store/database.ts';
import { tunnelElsewhere } from '../store/tunnels.ts';
import type { TunnelElsewhere } from '../store/tunnels.ts';
import { Unreachable } from './carriers.ts';
import type { LiveTunnel } from './live-tunnel.ts';
import { VisitedTunnel } from './visited-tunnel.ts';

export interface RemoteTunnels {
  /** The tunnel of this name, if it is connected to another node. */
  find(name: string): Promise<VisitedTunnel | undefined>;
  /** Handles the request of another node for a connection to the destination of a tunnel of this node. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export interface RemoteTunnelsOptions {
  db: Database;
  /** Id of this node. */
  node: string;
  secret: string;
  proofs: NodeProofs;
  /** Looks up a tunnel that is connected to this node. */
  local: (name: string) => LiveTunnel | undefined;
}

export const NODE_TUNNEL_PATH = '/node/tunnel';

const DIAL_TIMEOUT_MS = 20_000;
const SWEEP_EVERY_MS = 15_000;
const UNUSED_MS = 60_000;
/** The statuses for a destination that refuses the connection, and for a device that cannot be reached. */
const REFUSES = 502;
const AWAY = 504;
const purposeOf = (name: string, session: string) => `tunnel ${name} ${session}`;

/** Lets nodes check a login, without storing anything that helps to guess passwords without the secret. */
export const loginProof = (secret: string, loginHash: string): string =>
  createHmac('sha256', secret).update(`tunnel login ${loginHash}`).digest('base64url');

export function openRemoteTunnels({ db, node, secret, proofs, local }: RemoteTunnelsOptions): RemoteTunnels {
  const known = new Map<string, VisitedTunnel>();

  const admitsOf = ({ login, proof }: TunnelElsewhere) => {
    if (!login) return undefined;
    const right = Buffer.from(proof);
    return (shown: string) => {
      const given = Buffer.from(loginProof(secret, hash('sha256', shown, 'hex')));
      return given.length === right.length && timingSafeEqual(given, right);
    };
  };

  const dial = ({ name, session, url, holder }: TunnelElsewhere): Promise<Duplex> =>
    new Promise((resolve, reject) => {
      const at = new URL(NODE_TUNNEL_PATH, url);
      const { headers, isAnswer } = proofs.request(holder, purposeOf(name, String(session)));
      const isTls = at.protocol === 'https:';
      const port = Number(at.port) || (isTls ? 443 : 80);
      // Either direction may end before the other.
      const options = { host: at.hostname, port, allowHalfOpen: true, noDelay: true, keepAlive: true };
      const asked = (isTls ? askHttps : askHttp)(at, {
        headers: {
          ...headers,
          Connection: 'Upgrade',
          Upgrade: 'muster-tunnel',
          'Muster-Tunnel': name,
          'Muster-Session': String(session),
        },
        createConnection: () => (isTls ? connectTls({ ...options, servername: at.hostname }) : connect(options)),
        timeout: DIAL_TIMEOUT_MS,
      });
      const failed = (why: string, away: 'device' | 'service' = 'device') => {
        asked.destroy();
        reject(new Unreachable(away, why));
      };
      asked.on('timeout', () => failed('The node of the device did not answer'));
      asked.on('error', (cause) => failed(cause.message));
      asked.on('response', ({ statusCode }) =>
        failed(`The node of the device answered ${statusCode}`, statusCode === REFUSES ? 'service' : 'device'),
      );
      asked.on('upgrade', (response, socket, head) => {
        if (!isAnswer(response.headers)) {
          socket.destroy();
          return failed('What answered is not a node with the same CLUSTER_SECRET');
        }
        socket.setTimeout(0);
        socket.on('error', () => {});
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.end();
    });

  const sweep = setInterval(() => {
    for (const [key, tunnel] of known)
      if (tunnel.connections === 0 && tunnel.unusedFor > UNUSED_MS) {
        known.delete(key);
        tunnel.end();
      }
  }, SWEEP_EVERY_MS).unref();

  const carry = (tunnel: LiveTunnel, stream: Duplex, socket: Duplex, head: Buffer) => {
    tunnel.enter(socket);
    socket.once('close', () => tunnel.leave(socket));
    if (head.length > 0) socket.unshift(head);
    stream.on('data', (piece: Buffer) => tunnel.carriedOut(piece.length));
    socket.on('data', (piece: Buffer) => tunnel.carriedIn(piece.length));
    joinStreams(stream, socket);
  };

  return {
    find: async (name) => {
      const found = await tunnelElsewhere(db, name);
      if (!found || found.holder === node || (found.login && found.proof === '')) return undefined;
      const key = `${name} ${found.session}`;
      let tunnel = known.get(key);
      if (!tunnel || tunnel.isEnded) {
        const { protocol } = found;
        tunnel = new VisitedTunnel({ name, protocol, admits: admitsOf(found), dial: () => dial(found) });
        known.set(key, tunnel);
      }
      return tunnel;
    },

    upgrade: (request, socket, head) => {
      socket.on('error', () => {});
      const [name, session] = [request.headers['muster-tunnel'], request.headers['muster-session']];
      if (typeof name !== 'string' || typeof session !== 'string')
        return refuse(socket, new Problem(400, 'No tunnel was named', 'Only nodes ask here.'));
      const proof = proofs.accept(node, purposeOf(name, session), request.headers);
      if (!proof) return refuse(socket, new Problem(403, 'This was not sent by a node', 'Check CLUSTER_SECRET.'));
      const tunnel = local(name);
      if (!tunnel || String(tunnel.agent.session) !== session)
        return refuse(socket, new Problem(410, 'The tunnel is not here', 'Its agent connected again since.'));
      tunnel.dial().then(
        (stream) => {
          if (socket.destroyed) {
            stream.destroy();
            return;
          }
          const headers = Object.entries(proof).map(([field, value]) => `${field}: ${value}\r\n`);
          socket.write(
            `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: muster-tunnel\r\n${headers.join('')}\r\n`,
          );
          carry(tunnel, stream, socket, head);
        },
        (cause: unknown) => {
          const status = cause instanceof Unreachable && cause.away === 'service' ? REFUSES : AWAY;
          const why = cause instanceof Error ? cause.message : '';
          refuse(socket, new Problem(status, 'The destination cannot be reached', why));
        },
      );
    },

    close: () => {
      clearInterval(sweep);
      for (const tunnel of known.values()) tunnel.end();
    },
  };
}
