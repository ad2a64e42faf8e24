// Ends an upgraded connection with a last answer. Node's server no longer tracks such a connection, and one whose peer
// never closes would keep the service from stopping.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { logFault } from '../store/system-fault.ts';
import { faultBehind, Problem, problemOf } from './problem.ts';

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

/** Answers the upgrade of a device with the reason why it may not connect; a fault is logged, too. */
export function refuseFailed(socket: Duplex, where: string, cause: unknown): void {
  const problem = problemOf(cause);
  const fault = problem ? faultBehind(problem) : cause;
  if (fault !== undefined) logFault(`${where}: could not look up a device key`, fault);
  refuse(socket, problem ?? new Problem(503, 'The device key cannot be looked up at the moment', 'Try again later.'));
}
