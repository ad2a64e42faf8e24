// Agents that are only connections: they accept a job and report at once that it is done.
import { WebSocket } from 'ws';
import { LINK_PATH, LINK_VERSION, PING_EVERY_MS } from '#/contract/agent-link.ts';

/** How many connect at a time. */
const DIALLING = 200;

export interface FakeAgents {
  /** Resolves when a job of every agent is settled. */
  allSettled: () => Promise<void>;
  /** Resolves when every connection is closed. */
  close(): Promise<void>;
}

/** What an agent of the benchmarks says of itself. */
export const helloOf = (number: number) => ({
  journal: `bench${number}`,
  agentVersion: 'bench',
  os: 'bench',
  arch: 'bench',
  hostname: `bench-${number}`,
  jobs: [],
});

/** The same as the first message of a connection. */
export const helloMessage = (number: number, server: string): string =>
  JSON.stringify({
    type: 'hello',
    version: LINK_VERSION,
    server,
    localAddr: '127.0.0.1',
    localPort: '1',
    ...helloOf(number),
  });

/** Connects one agent for each key to `url`. */
export async function connectAgents(url: string, keys: string[]): Promise<FakeAgents> {
  const address = url.replace(/^http/, 'ws') + LINK_PATH;
  const sockets: WebSocket[] = [];
  let settled = 0;
  let whenSettled: (() => void) | undefined;
  let failed: (cause: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => (failed = reject));
  // Callers that wait for agents or jobs receive it.
  failure.catch(() => {});

  const connect = (key: string, number: number) =>
    new Promise<void>((welcomed) => {
      const socket = new WebSocket(address, {
        perMessageDeflate: false,
        headers: { Authorization: `Bearer ${key}` },
      });
      sockets.push(socket);
      const say = (message: object) => socket.send(JSON.stringify(message));
      socket.on('error', (cause) => failed(cause));
      socket.on('close', (code, reason) => failed(new Error(`An agent was hung up on: ${code} ${String(reason)}`)));
      socket.on('open', () => socket.send(helloMessage(number, url)));
      socket.on('message', (frame) => {
        const { type, job } = JSON.parse((frame as Buffer).toString()) as { type: string; job?: string };
        if (type === 'welcome') welcomed();
        else if (type === 'run') {
          say({ type: 'started', job, ago: 0 });
          say({ type: 'ended', job, outcome: 'exited', exitCode: 0, startedAgo: 0, endedAgo: 0 });
        } else if (type === 'settled' && ++settled === keys.length) whenSettled?.();
      });
    });

  // On a slow machine, connecting takes longer than the service's limit for silence.
  const pings = setInterval(() => {
    for (const socket of sockets) if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_EVERY_MS);

  let next = 0;
  const dialOn = async () => {
    for (let number = next++; number < keys.length; number = next++) await connect(keys[number] ?? '', number);
  };
  await Promise.race([Promise.all(Array.from({ length: DIALLING }, dialOn)), failure]);
  return {
    allSettled: () => {
      settled = 0;
      return Promise.race([new Promise<void>((done) => (whenSettled = done)), failure]);
    },
    close: async () => {
      clearInterval(pings);
      const gone = sockets.map((socket) => new Promise((done) => socket.once('close', done)));
      for (const socket of sockets) socket.terminate();
      await Promise.all(gone);
    },
  };
}
