// Agents that are only connections, each with a TCP tunnel; when asked, each opens a carrier of its own, whose streams
// answer every request with a few bytes. In a process of their own, so that they do not delay the measurement.
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { createWebSocketStream, WebSocket } from 'ws';
import { CARRIER_PATH, LINK_PATH, PING_EVERY_MS, TICKET_HEADER } from '#/contract/agent-link.ts';
import { helloMessage } from './fake-agents.ts';
import { CARRIER_SETTINGS, sendAsMessages } from '#/contract/tunnel-carrier.ts';

/** The parent's request. */
export interface TunnelFleet {
  url: string;
  keys: string[];
}

/** How many connect at a time. */
const DIALLING = 100;
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

const sockets: WebSocket[] = [];
const fail = (why: unknown) => {
  process.stderr.write(`An agent of the benchmark failed: ${String(why)}\n`);
  process.exit(1);
};

process.on('message', ({ url, keys }: TunnelFleet) => {
  connectAll(url, keys).then((ports) => process.send?.(ports), fail);
});
setInterval(() => {
  for (const socket of sockets) if (socket.readyState === socket.OPEN) socket.ping();
}, PING_EVERY_MS);

/** The ports of their tunnels, in the order of the keys. */
async function connectAll(url: string, keys: string[]): Promise<number[]> {
  const ports: number[] = [];
  let next = 0;
  const dialOn = async () => {
    for (let number = next++; number < keys.length; number = next++)
      ports[number] = await connect(url, keys[number] ?? '', number);
  };
  await Promise.all(Array.from({ length: DIALLING }, dialOn));
  return ports;
}

function connect(server: string, key: string, number: number): Promise<number> {
  const url = server.replace(/^http/, 'ws');
  const headers = { Authorization: `Bearer ${key}` };
  const socket = new WebSocket(url + LINK_PATH, { perMessageDeflate: false, headers });
  sockets.push(socket);
  const say = (message: object) => socket.send(JSON.stringify(message));
  socket.on('error', fail);
  socket.on('close', (code) => fail(`the service hung up (${code})`));
  socket.on('open', () => socket.send(helloMessage(number, server)));
  return new Promise((opened) => {
    socket.on('message', (frame: Buffer) => {
      const message = JSON.parse(frame.toString()) as {
        type: string;
        ticket?: string;
        tunnels?: { address?: string; refused?: string }[];
      };
      if (message.type === 'welcome')
        say({ type: 'offers', run: 'bench', offers: [{ id: 1, protocol: 'TCP', dest: 'tcp://127.0.0.1:1' }] });
      else if (message.type === 'carry') carry(url, { ...headers, [TICKET_HEADER]: message.ticket ?? '' });
      else if (message.type === 'opened') {
        const [tunnel] = message.tunnels ?? [];
        if (tunnel?.address === undefined) fail(tunnel?.refused);
        opened(Number(tunnel?.address?.split(':').at(-1)));
      }
    });
  });
}

const carriers = createServer(CARRIER_SETTINGS);
carriers.on('sessionError', () => {});
carriers.on('stream', (stream: ServerHttp2Stream) => {
  stream.on('error', () => {}).respond({ ':status': 200 });
  stream.on('data', () => stream.write(ANSWER)).on('end', () => stream.end());
});

function carry(url: string, headers: Record<string, string>): void {
  const socket = new WebSocket(url + CARRIER_PATH, { perMessageDeflate: false, headers });
  sockets.push(socket);
  socket.on('error', fail);
  socket.on('open', () => {
    const duplex = createWebSocketStream(socket);
    duplex.on('error', () => {});
    sendAsMessages<Buffer>(duplex, socket, undefined, (some) => Buffer.concat(some));
    carriers.emit('connection', duplex);
  });
}
