// The last words on a connection that is no longer in the hands of Node's server, which therefore neither counts nor ends
// it: one whose other end never says goodbye would stay for ever, and keep the service from stopping.
import type { Duplex } from 'node:stream';

const PATIENCE_MS = 1_000;

export function endSocket(socket: Duplex, lastWords?: string): void {
  socket.end(lastWords, 'latin1');
  // What still comes is read: a connection that is closed over unread bytes is reset, last words and all.
  socket.resume();
  const late = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(late));
}
