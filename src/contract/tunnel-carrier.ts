// What both ends of a tunnel's carrier agree on: HTTP/2 over one WebSocket that the agent dialled. The service makes the
// requests; `POST /<id>` asks for a connection to the destination with that number, 200 says that it is there, and from
// then on the stream's two directions are the connection's. Flow control of each stream is HTTP/2's own.

/** A stream may be this far ahead of its reader; all of them together this far ahead of the line. */
const STREAM_WINDOW = 1024 * 1024;
export const CARRIER_WINDOW = 16 * 1024 * 1024;

/**
 * For either end's session. Its memory, in megabytes, bounds what readers that do not read can pile up. Frames keep HTTP/2's
 * own size of 16 kB: larger ones were measured to cost more, since a reader gathers them from several reads.
 */
export const CARRIER_SETTINGS = {
  settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
  maxSessionMemory: 512,
} as const;

/** Largest WebSocket message on a carrier. */
export const MAX_CARRIER_FRAME = 16 * 1024 * 1024;

/** Chunks from this length on are messages of their own: joining copies. */
const LARGE = 4 * 1024;
const MOST_JOINED = 64 * 1024;

interface Bytes {
  readonly length: number;
}

/**
 * The messages for what HTTP/2 writes at a time: it writes each frame's head by itself. Small chunks are joined, and none
 * gets so large that the reader has to gather it from many reads, in memory of its own.
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
    if (chunk.length >= LARGE || length + chunk.length > MOST_JOINED) flush();
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

/** Has the stream of a WebSocket send its chunks as such messages, all of them in one write to the line below it. */
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

/** As much of node:stream's Duplex as is needed here: this folder is read by browsers too. */
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
interface SocketEnd<Other> extends End {
  resetAndDestroy?: () => unknown;
  pipe(other: Other): unknown;
}

/**
 * Makes one connection of a carrier's stream and a socket: an end of either direction is passed on, and what cuts one of
 * them cuts the other, so that nobody takes half an answer for a whole one. HTTP/2 knows a code, CANCEL, that Node shows
 * as an orderly end: a stream is never ended with it, and where it comes (a carrier that is lost), it counts as a cut.
 */
export function joinStreams<Stream extends StreamEnd<Socket>, Socket extends SocketEnd<Stream>>(
  stream: Stream,
  socket: Socket,
): void {
  const cut = () => {
    if (!stream.destroyed) stream.destroy(new Error('The connection was cut'));
    if (socket.destroyed) return;
    if (socket.resetAndDestroy) socket.resetAndDestroy();
    else socket.destroy(new Error('The connection was cut'));
  };
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
