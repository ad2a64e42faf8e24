// Passes a request for an upgraded connection on to another node as it arrived, and then everything in both directions.
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

const CONNECT_TIMEOUT_MS = 10_000;

export function relayUpgrade(url: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const options = { host: hostname, port: Number(port) || (isTls ? 443 : 80), noDelay: true, keepAlive: true };
  const other = isTls ? connectTls({ ...options, servername: hostname }) : connect(options);
  other.setTimeout(CONNECT_TIMEOUT_MS, () => other.destroy());
  other.once(isTls ? 'secureConnect' : 'connect', () => other.setTimeout(0));
  for (const [one, another] of [
    [socket, other],
    [other, socket],
  ] as const)
    one.on('error', () => {}).once('close', () => another.destroy());

  const { method, url: path, rawHeaders } = request;
  let lines = `${method} ${path} HTTP/1.1\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  other.write(`${lines}\r\n`, 'latin1');
  if (head.length > 0) other.write(head);
  socket.pipe(other);
  other.pipe(socket);
}
