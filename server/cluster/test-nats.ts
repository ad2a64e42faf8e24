// NATS servers for tests: one of our own, which understands what the bus uses of the protocol, and the real one where
// the machine has it. https://docs.nats.io/reference/reference-protocols/nats-protocol
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { until } from '../../scripts/test-process.ts';

export interface NatsServer {
  port: number;
  /** Ends it without any warning. */
  kill(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
}

export interface NatsOptions {
  user?: { user: string; pass: string };
  token?: string;
  tls?: { cert: string; key: string };
  /** A subject that nobody may subscribe to. */
  denied?: string;
  maxPayload?: number;
}

interface Subscription {
  client: Client;
  sid: string;
}

interface Client {
  write(data: string | Buffer): void;
  isAccepted: boolean;
}

/** What the server knows: the subscriptions of each subject. */
type Subjects = Map<string, Subscription[]>;

/** Splits what arrives into lines and the payloads that some announce; an answer ends the connection. */
function converse(client: Client, subjects: Subjects, options: NatsOptions): (data: Buffer) => string | undefined {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const end = rest.indexOf('\r\n');
      if (end < 0) return undefined;
      const line = rest.toString('latin1', 0, end);
      const [verb = '', ...words] = line.split(/[ \t]+/);
      const length = verb.toUpperCase() === 'PUB' ? Number(words.at(-1)) : undefined;
      const next = end + 2 + (length === undefined ? 0 : length + 2);
      if (rest.length < next) return undefined;
      const fault = answer(client, subjects, options, {
        verb: verb.toUpperCase(),
        words,
        line,
        payload: rest.subarray(end + 2, next - 2),
      });
      if (fault !== undefined) return fault;
      rest = rest.subarray(next);
    }
  };
}

interface Command {
  verb: string;
  words: string[];
  line: string;
  payload: Buffer;
}

function answer(client: Client, subjects: Subjects, options: NatsOptions, command: Command): string | undefined {
  const { verb, words, line, payload } = command;
  const [subject = ''] = words;
  if (verb === 'CONNECT') {
    const given = JSON.parse(line.slice('CONNECT'.length)) as { user?: string; pass?: string; auth_token?: string };
    const { user, token } = options;
    client.isAccepted =
      (!user || (given.user === user.user && given.pass === user.pass)) && (!token || given.auth_token === token);
    return client.isAccepted ? undefined : 'Authorization Violation';
  }
  if (verb === 'PING') client.write('PONG\r\n');
  else if (verb === 'PONG') return undefined;
  else if (!client.isAccepted) return 'Authorization Violation';
  else if (verb === 'SUB') {
    if (subject === options.denied) client.write(`-ERR 'Permissions Violation for Subscription to "${subject}"'\r\n`);
    else subjects.set(subject, [...(subjects.get(subject) ?? []), { client, sid: words.at(-1) ?? '' }]);
  } else if (verb === 'UNSUB') {
    for (const [name, those] of subjects)
      subjects.set(
        name,
        those.filter((each) => each.client !== client || each.sid !== subject),
      );
  } else if (verb === 'PUB') {
    for (const { client: to, sid } of subjects.get(subject) ?? [])
      to.write(
        Buffer.concat([Buffer.from(`MSG ${subject} ${sid} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]),
      );
  } else return 'Unknown Protocol Operation';
  return undefined;
}

/** Our own. It has no wildcards, queue groups, headers or limits. */
export async function startTestNats(options: NatsOptions = {}): Promise<NatsServer> {
  const subjects: Subjects = new Map();
  const sockets = new Set<Socket>();
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on('error', () => {}).on('close', () => sockets.delete(raw));
    const info = {
      server_id: 'test',
      version: '2.9.10',
      proto: 1,
      max_payload: options.maxPayload ?? 1_048_576,
      tls_required: !!options.tls,
    };
    raw.write(`INFO ${JSON.stringify(info)}\r\n`);
    const socket = options.tls ? secure(raw, options.tls) : raw;
    const client = {
      isAccepted: false,
      write: (data: string | Buffer) => void (socket.destroyed || socket.write(data)),
    };
    const hear = converse(client, subjects, options);
    socket.on('data', (data) => {
      const fault = hear(data);
      if (fault !== undefined) socket.end(`-ERR '${fault}'\r\n`);
    });
    socket.on('close', () => {
      for (const [name, those] of subjects)
        subjects.set(
          name,
          those.filter((each) => each.client !== client),
        );
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    port,
    kill: async () => {
      if (!server.listening) return;
      for (const socket of sockets) socket.resetAndDestroy();
      server.close();
      await once(server, 'close');
    },
    start: async () => void (await listen(port)),
  };
}

function secure(raw: Socket, tls: { cert: string; key: string }): Socket {
  const socket = new TLSSocket(raw, { isServer: true, secureContext: createSecureContext(tls) });
  return socket.on('error', () => {});
}

/** Whether the machine has the real one. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;

/** The real one. */
export async function startNatsServer(): Promise<NatsServer> {
  // A free port, which it takes a moment later.
  const free = await startTestNats();
  await free.kill();
  const { port } = free;
  let child: ChildProcess | undefined;
  const server: NatsServer = {
    port,
    kill: async () => {
      const running = child;
      child = undefined;
      if (!running) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
    },
    start: async () => {
      child = spawn('nats-server', ['--addr', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
      await until('nats-server', () => listens(port));
    },
  };
  await server.start();
  return server;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
