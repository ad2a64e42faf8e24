// Both ends of tunnels: a web server and an echo server as they run on a device, and visitors.
// Names below localhost resolve in a browser, not in Node: a visitor from Node connects to the address and sends the name
// as Host.
import { createHash, randomBytes, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createWebServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { WebSocketServer } from 'ws';

const MEGABYTE = 1024 * 1024;
const PAGE = { 'Content-Type': 'text/html; charset=utf-8' };
const FORM = `<!doctype html><title>Pump</title><form method="post" action="/login">
<label>Password <input name="password"></label><button>Sign in</button></form>`;

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A web server on a device: a login with a cookie, a WebSocket that echoes, an event stream, and a large file. */
export class DeviceWeb {
  /** The heads of all requests, in order. */
  readonly got: string[] = [];
  /** Of the large file that was sent last. */
  sha256 = '';
  readonly #server = createWebServer((incoming, outgoing) => this.#answer(incoming, outgoing));
  readonly #echoes = new WebSocketServer({ server: this.#server, path: '/echo' });

  async start(): Promise<string> {
    this.#server.on('upgrade', (incoming: IncomingMessage) => this.#note(incoming));
    this.#echoes.on('connection', (socket) =>
      socket.on('message', (message, binary) => socket.send(message as Buffer, { binary })),
    );
    return `http://127.0.0.1:${await listening(this.#server)}`;
  }

  stop(): void {
    for (const socket of this.#echoes.clients) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #note({ method, url, rawHeaders }: IncomingMessage): void {
    this.got.push(`${method} ${url}\n${rawHeaders.join('\n')}`);
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#note(incoming);
    switch (`${incoming.method} ${incoming.url}`) {
      case 'POST /login':
        incoming.resume();
        outgoing.setHeader('Location', '/');
        outgoing.setHeader('Set-Cookie', ['sid=anna; Path=/; HttpOnly', 'everywhere=1; Path=/; Domain=localhost']);
        outgoing.writeHead(303);
        return void outgoing.end();
      case 'GET /events':
        outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' });
        outgoing.write('data: one\n\n');
        return void setImmediate(() => outgoing.write('data: two\n\n'));
      case 'GET /large':
        outgoing.writeHead(200, { 'Content-Length': 100 * MEGABYTE });
        return void Readable.from(this.#pieces(100, createHash('sha256'))).pipe(outgoing);
      default: {
        const isIn = /(?:^|;\s*)sid=anna(?:;|$)/.test(incoming.headers.cookie ?? '');
        outgoing.writeHead(200, PAGE).end(isIn ? '<!doctype html><title>Pump</title><h1>Hello, Anna</h1>' : FORM);
      }
    }
  }

  *#pieces(count: number, hash: Hash) {
    for (let at = 0; at < count; at += 1) {
      const piece = randomBytes(MEGABYTE);
      hash.update(piece);
      yield piece;
    }
    this.sha256 = hash.digest('hex');
  }
}

/** An echo server, which ends a connection when its visitor does; `stop` cuts those that are open. */
export async function startEcho(): Promise<{ dest: string; stop: () => void }> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
    socket.pipe(socket);
  });
  return {
    dest: `tcp://127.0.0.1:${await listening(server)}`,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Sends a request through a tunnel; resolves with the head of the answer. */
export async function visit(url: string, where = '/', headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const { host, port } = new URL(url);
  const to = { host: '127.0.0.1', port, path: where, headers: { Host: host, ...headers }, agent: false };
  // After the head an error is one of the answer.
  const sent = request(to).on('error', () => {});
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return answer;
}

/** The status alone. */
export async function statusOf(url: string, where?: string, headers?: Record<string, string>): Promise<number> {
  const answer = await visit(url, where, headers);
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}

/** A connection to a TCP tunnel through which a text was sent and came back. */
export async function echoed(address: string, text: string): Promise<Socket> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host).on('error', () => {});
  socket.write(text);
  let back = '';
  while (back.length < text.length) back += String(((await once(socket, 'data')) as [Buffer])[0]);
  if (back !== text) throw new Error(`"${text}" came back as "${back}"`);
  return socket;
}

/** Resolves once the connection is closed, with or without an error. */
export const closed = (socket: Socket) => new Promise((done) => socket.once('close', done));

export async function sha256Of(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of stream) hash.update(piece);
  return hash.digest('hex');
}
