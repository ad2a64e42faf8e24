// Lets HTTP clients use streams of a carrier instead of sockets, with keep-alive.
import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';

/** An unused connection is closed after this long, before most servers would close it. */
export const KEEP_MS = 4_000;

/** For the head of an answer; browsers accept more than the clients' defaults. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Socket methods that the client calls, and that a stream does not need. */
const SOCKET_METHODS = {
  setKeepAlive: () => {},
  setNoDelay: () => {},
  ref: () => {},
  unref: () => {},
};

type Dial = () => Promise<Duplex>;
type Dialled = (cause: Error | null, stream: Duplex) => void;

/** A connect function for Node's HTTP client and for undici's. */
export const connectBy =
  (dial: Dial) =>
  (_options: unknown, done?: Dialled): undefined => {
    dial().then(
      (stream) => {
        // Cut a moment after it was dialled: a request on it would wait for ever.
        if (stream.destroyed) return done?.(new Error('The connection was cut'), undefined as never);
        Object.assign(stream, SOCKET_METHODS);
        // Seen with Node 24.21: when text and bytes were written together, a PUT reached the device with its first line
        // overwritten ("Invalid method"). With bytes only it never did; the cause is not known.
        const write = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
        stream.write = (chunk: unknown, ...more: unknown[]) => {
          if (typeof chunk !== 'string') return write(chunk, ...more);
          const coding = typeof more[0] === 'string' ? (more.shift() as BufferEncoding) : 'utf8';
          return write(Buffer.from(chunk, coding), ...more.filter((one) => typeof one === 'function'));
        };
        // A client takes a reset during an answer without a length for its end, and HTTP/2 shows one as an end.
        stream.prependListener('error', (cause: NodeJS.ErrnoException) => {
          if (cause.code === 'ECONNRESET') cause.code = 'ERR_CUT';
        });
        stream.on('aborted', () => {
          // What came just before it is the beginning of an answer, after which no request is repeated.
          if (stream.readableLength > 0) stream.emit('readable');
          stream.destroy(new Error('The connection was cut'));
        });
        // The peer is done with this connection: half of it is of no use for another request.
        stream.on('end', () => stream.end());
        done?.(null, stream);
      },
      (cause: Error) => done?.(cause, undefined as never),
    );
  };

export class PooledDials extends Agent {
  override createConnection: (options: ClientRequestArgs, done?: Dialled) => undefined;

  constructor(dial: Dial) {
    super({ keepAlive: true, maxFreeSockets: 64, timeout: KEEP_MS });
    this.createConnection = connectBy(dial);
  }
}
