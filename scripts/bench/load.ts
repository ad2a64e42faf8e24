// Sends a service the same request many times over a few connections. It uses plain sockets, because Node's HTTP client
// is slower than what is measured here.
import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';

export interface Request {
  method: string;
  path: string;
  /** If it differs from the address of the connection. */
  host?: string;
  headers?: Record<string, string>;
  body?: string;
}

function bytesOf(host: string, { method, path, headers = {}, body }: Request): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/**
 * Sends `request` one at a time on each of `clients` connections, until `enough` returns true after an answer. An
 * answer other than success is an error.
 */
export async function ask(
  url: string,
  request: Request,
  clients: number,
  enough: (answered: number) => boolean,
): Promise<{ answered: number; elapsed: number }> {
  const { hostname, port, host } = new URL(url);
  const bytes = bytesOf(request.host ?? host, request);
  const what = `${request.method} ${request.path}`;
  const sockets = await Promise.all(Array.from({ length: clients }, () => opened(hostname, Number(port))));
  let answered = 0;
  const askOn = (socket: Socket) =>
    new Promise<void>((done, fail) => {
      const reader = new AnswerReader();
      socket.on('error', fail);
      socket.on('close', () => fail(new Error(`${what}: the service closed the connection`)));
      socket.on('data', (part) => {
        const status = reader.push(part);
        if (status === undefined) return;
        if (status > 299) return fail(new Error(`${what} was answered with ${status}`));
        answered += 1;
        if (enough(answered)) done();
        else socket.write(bytes);
      });
      socket.write(bytes);
    });
  const begun = performance.now();
  try {
    await Promise.all(sockets.map(askOn));
    return { answered, elapsed: performance.now() - begun };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

const opened = (host: string, port: number) =>
  new Promise<Socket>((done, fail) => {
    const socket = connect({ host, port, noDelay: true }, () => done(socket));
    socket.once('error', fail);
  });
