// Ends an upgraded connection with a last answer. Node's server no longer tracks such a connection, and one whose peer
// never closes would keep the service from stopping.
import type { Duplex } from 'node:stream';

const CLOSE_TIMEOUT_MS = 1_000;

export function endSocket(socket: Duplex, answer?: string): void {
  socket.end(answer, 'latin1');
  // Unread bytes would reset the connection before the peer reads the answer.
  socket.resume();
  const late = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(late));
}
