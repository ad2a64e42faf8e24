// Relays an agent's carrier that arrives at another node than the one that requested it. The node where it arrives
// checks the device's key and keeps it to itself: it vouches for the device with a proof (cluster/node-proof.ts) for
// this ticket and device, and hands over the connection only to a node that proves itself in its response.
import { request as askHttp } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as askHttps } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { CARRIER_PATH, TICKET_HEADER } from '#/contract/agent-link.ts';
import type { NodeProofs } from '../cluster/node-proof.ts';
import { refuse } from '../http/end-socket.ts';
import { Problem } from '../http/problem.ts';

const ANSWER_TIMEOUT_MS = 10_000;
const DEVICE_HEADER = 'muster-device';
/** The headers of the request that the handshake needs (RFC 6455, section 4.1), and of the response (4.2.2). */
const HANDSHAKE = ['sec-websocket-key', 'sec-websocket-version'];
const ACCEPT = 'sec-websocket-accept';

const purposeOf = (ticket: string, device: string) => `carrier ${ticket} ${device}`;

export interface CarrierRelay {
  /** Hands over a carrier of this device to the node at `url`. */
  pass(to: { node: string; url: string }, carrier: RelayedCarrier): void;
  /** The device that another node vouches for, with the headers for the response; undefined without a valid proof. */
  accept(headers: IncomingHttpHeaders): { device: number; headers: Record<string, string> } | undefined;
}

export interface RelayedCarrier {
  ticket: string;
  device: number;
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/** @param node id of this node */
export function openCarrierRelay(node: string, proofs: NodeProofs): CarrierRelay {
  return {
    pass: ({ node: other, url }, { ticket, device, request, socket, head }) => {
      const at = new URL(CARRIER_PATH, url);
      const { headers, isAnswer } = proofs.request(other, purposeOf(ticket, String(device)));
      const isTls = at.protocol === 'https:';
      const options = {
        host: at.hostname,
        port: Number(at.port) || (isTls ? 443 : 80),
        noDelay: true,
        keepAlive: true,
      };
      const asked = (isTls ? askHttps : askHttp)(at, {
        headers: {
          ...headers,
          ...Object.fromEntries(HANDSHAKE.map((name) => [name, request.headers[name] ?? ''])),
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          [TICKET_HEADER]: ticket,
          [DEVICE_HEADER]: String(device),
        },
        createConnection: () => (isTls ? connectTls({ ...options, servername: at.hostname }) : connect(options)),
        timeout: ANSWER_TIMEOUT_MS,
      });
      const failed = (why: string) => {
        asked.destroy();
        refuse(socket, new Problem(502, 'The node that asked for this carrier cannot be reached', why));
      };
      const gone = () => asked.destroy();
      socket.once('close', gone);
      asked.on('timeout', () => failed('It did not answer.'));
      asked.on('error', (cause) => socket.writable && failed(cause.message));
      asked.on('response', (response) => {
        response.resume();
        failed(`It answered ${response.statusCode}.`);
      });
      asked.on('upgrade', (response, far, first) => {
        far.on('error', () => {});
        if (!isAnswer(response.headers)) {
          far.destroy();
          return failed('What answered is not a node with the same CLUSTER_SECRET.');
        }
        far.setTimeout(0);
        socket.off('close', gone);
        for (const [one, another] of [
          [socket, far],
          [far, socket],
        ] as const)
          one.once('close', () => another.destroy());
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${response.headers[ACCEPT] ?? ''}\r\n\r\n`,
        );
        if (first.length > 0) socket.write(first);
        if (head.length > 0) far.write(head);
        socket.pipe(far);
        far.pipe(socket);
      });
      asked.end();
    },

    accept: (headers) => {
      const [ticket, device] = [headers[TICKET_HEADER], headers[DEVICE_HEADER]];
      if (typeof ticket !== 'string' || typeof device !== 'string') return undefined;
      const answer = proofs.accept(node, purposeOf(ticket, device), headers);
      return answer && { device: Number(device), headers: answer };
    },
  };
}
