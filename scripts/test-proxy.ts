// A proxy for tests, as a company has one: CONNECT, requests with a whole address, and a login if wanted.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface TestProxy {
  /** Host and port. */
  host: string;
  /** What was asked of it: `CONNECT host:port`, `GET http://…`. */
  asked: string[];
  /** Answers CONNECT with this status instead of connecting. */
  refuses?: number;
  /** Connections to it that are open. */
  open: Set<Socket>;
  end(): Promise<void>;
}

/** @param login as `user:password`, which each request must have */
export async function startTestProxy(login?: string): Promise<TestProxy> {
  const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const isIn = ({ headers }: IncomingMessage) => wanted === undefined || headers['proxy-authorization'] === wanted;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    proxy.asked.push(`${method} ${url}`);
    if (!isIn(incoming)) return void outgoing.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="proxy"' }).end();
    const { 'proxy-authorization': _login, 'proxy-connection': _connection, ...passed } = headers;
    const sent = request(url, { method, headers: passed, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  server.on('connection', (socket: Socket) => {
    proxy.open.add(socket);
    socket.on('error', () => {}).once('close', () => proxy.open.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    proxy.asked.push(`CONNECT ${incoming.url}`);
    const status = isIn(incoming) ? proxy.refuses : 407;
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const there = connect(Number(port || 80), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.write(head);
      socket.pipe(there).pipe(socket);
    });
    there.on('error', () => socket.destroy()).once('close', () => socket.destroy());
    socket.once('close', () => there.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TestProxy = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    open: new Set(),
    end: async () => {
      for (const socket of proxy.open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
