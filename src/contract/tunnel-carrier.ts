// The protocol of a tunnel's carrier: HTTP/2 over one WebSocket that the agent has opened. The service sends the requests.
// `POST /<id>` asks for a connection to the destination with that number; after a 200, the two directions of the stream are
// those of the connection. `POST /asked` does the same for the destination in DESTINATION_HEADER, which the agent itself
// decides to allow (tunnel-allowance.ts). Each stream has HTTP/2's flow control.

/** The path that asks for a destination by its address, and the header with it: `tcp://127.0.0.1:22`. */
export const ASKED_PATH = '/asked';
export const DESTINATION_HEADER = 'muster-destination';

/** How many bytes a stream may be ahead of its reader, and all streams together ahead of the connection. */
const STREAM_WINDOW = 1024 * 1024;
export const CARRIER_WINDOW = 16 * 1024 * 1024;

/**
 * The session settings of both sides. The memory limit, in megabytes, bounds the backlog of slow readers. Frames have
 * HTTP/2's default size of 16 kB; larger ones were slower, because a reader has to join them from several reads.
 */
export const CARRIER_SETTINGS = {
  settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
  maxSessionMemory: 512,
} as const;

export const MAX_CARRIER_FRAME = 16 * 1024 * 1024;

/** Larger chunks become separate messages, because joining copies them. */
const LARGE = 4 * 1024;
const MAX_JOINED = 64 * 1024;

interface Bytes {
  readonly length: number;
}

/**
 * The messages for the chunks of one HTTP/2 write, in which the header of each frame is a separate chunk. Small chunks are
 * joined, but no message becomes so large that the reader has to join it from many reads.
 */
export function messagesOf<Chunk extends Bytes>(chunks: readonly Chunk[], join: (some: Chunk[]) => Chunk): Chunk[] {
  const messages: Chunk[] = [];
  let small: Chunk[] = [];
  let length = 0;
  const flush = () => {
    if (small.length > 0) messages.push(small.length === 1 && small[0] ? small[0] : join(small));
    small = [];
    length = 0;
  };
  for (const chunk of chunks) {
    if (chunk.length >= LARGE || length + chunk.length > MAX_JOINED) flush();
    if (chunk.length >= LARGE) messages.push(chunk);
    else {
      small.push(chunk);
      length += chunk.length;
    }
  }
  flush();
  return messages;
}

interface WebSocketStream<Chunk> {
  _writev?(chunks: { chunk: Chunk }[], done: (error?: Error | null) => void): void;
}

/** Makes the stream of a WebSocket send its chunks as such messages, in one write to the socket. */
export function sendAsMessages<Chunk extends Bytes>(
  stream: WebSocketStream<Chunk>,
  socket: { send(message: Chunk, done?: (error?: Error) => void): void },
  line: { cork(): void; uncork(): void } | undefined,
  join: (some: Chunk[]) => Chunk,
): void {
  stream._writev = (chunks, done) => {
    const messages = messagesOf(
      chunks.map(({ chunk }) => chunk),
      join,
    );
    const last = messages.length - 1;
    line?.cork();
    for (const [at, message] of messages.entries()) socket.send(message, at === last ? done : undefined);
    line?.uncork();
  };
}

/** The used part of node:stream's Duplex; browsers load this folder too, so it cannot be imported. */
interface End {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: string, listener: () => void): unknown;
  destroy(cause?: Error): unknown;
}
interface StreamEnd<Other> extends End {
  readonly rstCode?: number | undefined;
  pipe(other: Other): unknown;
}
interface Resettable {
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly writableLength: number;
  once(event: 'finish', listener: () => void): unknown;
  resetAndDestroy(): unknown;
}
interface SocketEnd<Other> extends End {
  pipe(other: Other): unknown;
}

const canReset = (socket: object): socket is Resettable => 'resetAndDestroy' in socket;

/**
 * Resets a connection, so that an incomplete answer does not look complete. While the end of a connection is being sent the
 * system refuses a reset (EINVAL) and Node would leave the connection open for ever, so the reset waits for that.
 */
export function resetConnection(socket: Resettable): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

/**
 * Connects a carrier's stream and a socket. The end of either direction is passed on, and cutting one cuts the other, so
 * that half an answer never looks complete. Node reports HTTP/2's code CANCEL as a normal end, so we never send it, and
 * treat one that arrives (from a lost carrier) as a cut.
 */
export function joinStreams<Stream extends StreamEnd<Socket>, Socket extends SocketEnd<Stream>>(
  stream: Stream,
  socket: Socket,
): void {
  const cut = () => {
    if (!stream.destroyed) stream.destroy(new Error('The connection was cut'));
    if (socket.destroyed) return;
    if (canReset(socket)) resetConnection(socket);
    else socket.destroy(new Error('The connection was cut'));
  };
  // One side may be closed while the other is still connecting.
  if (stream.destroyed || socket.destroyed) return cut();
  for (const end of [stream, socket]) {
    end.on('aborted', cut);
    end.on('error', cut);
    end.on('close', () => {
      if (!end.readableEnded || (end === stream && (stream.rstCode ?? 0) !== 0)) cut();
    });
  }
  stream.pipe(socket);
  socket.pipe(stream);
}
