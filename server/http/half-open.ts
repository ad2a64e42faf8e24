// Clients that end their side of the connection behind a request, and wait for its answer (RFC 9112, section 9.6 allows it;
// netcat, some libraries and health checks do). Node would close such a connection unanswered.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that is gone looks the same until something is written, so no answer may be silent for longer. */
const SILENCE_MS = 60_000;

export function answerHalfOpen(server: Server): void {
  // Not in Node's types: https://github.com/nodejs/node/pull/18611.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      socket.once('end', () => socket.setTimeout(SILENCE_MS, () => socket.destroy()));
    });
}

/** For answers that may take for ever: whoever sends nothing more is gone. */
export function endWithClient({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  const gone = () => void socket.destroy();
  if (socket.readableEnded) return gone();
  socket.once('end', gone);
  outgoing.once('close', () => socket.off('end', gone));
}
