// Node's HTTP client on streams of a carrier in the place of sockets: it keeps them for the next request, as a browser
// keeps its connections.
import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { ClientHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';

/** A connection that is not used goes after this long, before most servers would end it. */
const KEEP_MS = 4_000;

/** What the client does to sockets, and a stream has no need of. */
const SOCKET_MANNERS = {
  setKeepAlive: () => {},
  setNoDelay: () => {},
  ref: () => {},
  unref: () => {},
};

type Dial = () => Promise<ClientHttp2Stream>;
type Dialled = (cause: Error | null, stream: Duplex) => void;

/** Connects for Node's HTTP client. */
export const connectBy =
  (dial: Dial) =>
  (_options: unknown, done?: Dialled): undefined => {
    dial().then(
      (stream) => {
        Object.assign(stream, SOCKET_MANNERS);
        // Seen with Node 24.21: where text and bytes were written in one go, a PUT reached the device with its first line
        // overwritten ("Invalid method"). Given bytes only it never did; why is not known.
        const write = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
        stream.write = (chunk: unknown, ...more: unknown[]) => {
          if (typeof chunk !== 'string') return write(chunk, ...more);
          const coding = typeof more[0] === 'string' ? (more.shift() as BufferEncoding) : 'utf8';
          return write(Buffer.from(chunk, coding), ...more.filter((one) => typeof one === 'function'));
        };
        // The service at the other end is done with this connection: half of it is of no use for another request.
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
