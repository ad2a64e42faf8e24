// Ends an upgraded connection with a last answer. Node's server no longer tracks such a connection, and one whose peer
// never closes would keep the service from stopping.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from './problem.ts';

const CLOSE_TIMEOUT_MS = 1_000;

export function endSocket(socket: Duplex, answer?: string): void {
  socket.end(answer, 'latin1');
  // Unread bytes would reset the connection before the peer reads the answer.
  socket.resume();
  const late = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(late));
}

/** Answers an upgrade with a plain HTTP refusal. */
export function refuse(socket: Duplex, problem: Problem): void {
  const body = JSON.stringify(problem.body());
  endSocket(
    socket,
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
      'Connection: close',
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(problem.status === 401 ? ['WWW-Authenticate: Bearer realm="muster"'] : []),
      '',
      body,
    ].join('\r\n'),
  );
}
