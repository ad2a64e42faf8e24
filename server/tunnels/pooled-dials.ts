// Lets Node's HTTP client use streams of a carrier instead of sockets, with keep-alive.
import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';

/** An unused connection is closed after this long, before most servers would close it. */
const KEEP_MS = 4_000;

/** Socket methods that the client calls, and that a stream does not need. */
const SOCKET_METHODS = {
  setKeepAlive: () => {},
  setNoDelay: () => {},
  ref: () => {},
  unref: () => {},
};

type Dial = () => Promise<Duplex>;
type Dialled = (cause: Error | null, stream: Duplex) => void;

/** A connect function for Node's HTTP client. */
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
