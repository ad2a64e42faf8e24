// Lets HTTP clients use streams of a carrier as sockets, with keep-alive.
import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';

/** An unused connection is closed after this time, before most servers would close it. */
export const KEEP_MS = 4_000;

/** The limit for the head of a response; browsers accept more than the clients' defaults. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Socket methods that the clients call, and that mean nothing for a stream. */
const SOCKET_METHODS = {
  setKeepAlive: () => {},
  setNoDelay: () => {},
  ref: () => {},
  unref: () => {},
};

type Dial = () => Promise<Duplex>;
type Dialled = (cause: Error | null, stream: Duplex) => void;

/** A connect function for Node's HTTP client and for undici. */
export const connectBy =
  (dial: Dial) =>
  (_options: unknown, done?: Dialled): undefined => {
    dial().then(
      (stream) => {
        // The stream was cut just after it was dialed, and a request on it would wait forever.
        if (stream.destroyed) return done?.(new Error('The connection was cut'), undefined as never);
        Object.assign(stream, SOCKET_METHODS);
        mendLineEnds(stream);
        // Writes only bytes. With Node 24.21, when strings and bytes were written together, a PUT reached the device
        // with its first line overwritten ("Invalid method"); with bytes alone it never did. The cause is unknown.
        const write = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
        stream.write = (chunk: unknown, ...more: unknown[]) => {
          if (typeof chunk !== 'string') return write(chunk, ...more);
          const coding = typeof more[0] === 'string' ? (more.shift() as BufferEncoding) : 'utf8';
          return write(Buffer.from(chunk, coding), ...more.filter((one) => typeof one === 'function'));
        };
        // During a response without a length, a client takes a reset for its end, and HTTP/2 reports a reset as an end.
        stream.prependListener('error', (cause: NodeJS.ErrnoException) => {
          if (cause.code === 'ECONNRESET') cause.code = 'ERR_CUT';
        });
        stream.on('aborted', () => {
          // Data that came just before it is the start of a response, after which a request must not be repeated.
          if (stream.readableLength > 0) stream.emit('readable');
          stream.destroy(new Error('The connection was cut'));
        });
        // The peer has ended its half, and the connection is of no use for another request.
        stream.on('end', () => stream.end());
        done?.(null, stream);
      },
      (cause: Error) => done?.(cause, undefined as never),
    );
  };

/**
 * Small servers end the lines of a head with a bare LF, which a client may accept (RFC 9112, section 2.2) and ours do not.
 * Such a head gets CRLF. Its connection is not used again, so that only a first head has to be looked at. In the chunked
 * coding a line end decides where the answer ends, so there a bare LF stays an error.
 */
function mendLineEnds(stream: Duplex): void {
  const push = stream.push.bind(stream);
  let held: Buffer = Buffer.alloc(0);
  const release = (bytes: Buffer) => {
    stream.push = push;
    return push(bytes);
  };
  stream.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      if (held.length > 0) release(held);
      return push(null);
    }
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const text = held.toString('latin1');
    const lineEnd = text.indexOf('\n');
    if (text[lineEnd - 1] === '\r' || held.length > MAX_HEAD_BYTES) return release(held);
    const [head] = /^[^]*?\n\r?\n/.exec(text) ?? [];
    if (head === undefined) return true;
    if (/^transfer-encoding[ \t]*:/im.test(head)) return release(held);
    const lines = head.trimEnd().split(/\r?\n/);
    const mended = Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1');
    return release(Buffer.concat([mended, held.subarray(head.length)]));
  };
}

export class PooledDials extends Agent {
  override createConnection: (options: ClientRequestArgs, done?: Dialled) => undefined;

  constructor(dial: Dial) {
    super({ keepAlive: true, maxFreeSockets: 64, timeout: KEEP_MS });
    this.createConnection = connectBy(dial);
  }
}
