// A proxy in front of the service as operators have them: one that cuts streams, or one that collects an answer before it
// passes it on.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LiveProxy {
  url: string;
  /** The paths with queries of the streams that were asked for. */
  streams: string[];
  close: () => Promise<void>;
}

/** `cutAfter`: milliseconds that a stream may last; 'held': no stream is passed on before its end. */
export async function startLiveProxy(target: string, cutAfter: number | 'held'): Promise<LiveProxy> {
  const { hostname, port } = new URL(target);
  const streams: string[] = [];
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url: path = '', headers } = incoming;
    const isStream = path.startsWith('/v1/events');
    if (isStream) streams.push(path);
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      if (isStream && cutAfter === 'held') return void answer.resume();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      if (isStream) setTimeout(() => outgoing.destroy(), Number(cutAfter));
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
