// An agent that sends output, in a thread of its own so that it does not affect the measurement: either a byte a
// message as fast as possible, or large pieces within a window, as ours does.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { LINK_PATH, LINK_VERSION, OUTPUT_PIECE, OUTPUT_WINDOW } from '#/contract/agent-link.ts';

export interface SendingAgent {
  url: string;
  key: string;
  bytes: number;
  /** A byte a message, or pieces of the largest size. */
  style: 'bytes' | 'pieces';
}

/** Bytes that may wait in this process before the next is written. */
const AHEAD = 1024 * 1024;

const { url, key, bytes, style } = workerData as SendingAgent;
const socket = new WebSocket(url.replace(/^http/, 'ws') + LINK_PATH, {
  perMessageDeflate: false,
  headers: { Authorization: `Bearer ${key}` },
});
const say = (message: object) => socket.send(JSON.stringify(message));
const piece = style === 'bytes' ? 1 : OUTPUT_PIECE;
const data = Buffer.alloc(piece, 'x').toString('base64');
let stored = 0;
let sent = 0;
let job = '';

let last = bytes;

function sendOn(): void {
  while (sent < last && (style === 'bytes' ? socket.bufferedAmount < AHEAD : sent - stored < OUTPUT_WINDOW)) {
    say({ type: 'output', job, stream: 'stdout', offset: sent, data });
    sent += piece;
  }
  if (sent >= last) say({ type: 'ended', job, outcome: 'exited', exitCode: 0, startedAgo: 0, endedAgo: 0 });
  else if (style === 'bytes') setTimeout(sendOn, 1);
}

// The measured time is over.
parentPort?.once('message', () => (last = Math.min(last, sent)));
socket.on('error', () => {});
socket.on('close', () => process.exit());
socket.on('message', (text: Buffer) => {
  const message = JSON.parse(text.toString()) as { type: string; job: string; have: { stdout: number } };
  if (message.type === 'welcome') parentPort?.postMessage('ready');
  else if (message.type === 'run') {
    ({ job } = message);
    say({ type: 'started', job, ago: 0 });
    sendOn();
  } else if (message.type === 'stored') {
    stored = message.have.stdout;
    if (style === 'pieces' && sent < last) sendOn();
  } else if (message.type === 'settled') parentPort?.postMessage('settled');
});
await once(socket, 'open');
say({
  type: 'hello',
  version: LINK_VERSION,
  journal: `bench-${key.slice(-8)}`,
  server: url,
  agentVersion: 'bench',
  os: 'bench',
  arch: 'bench',
  hostname: 'bench',
  localAddr: '127.0.0.1',
  localPort: '1',
  jobs: [],
});
