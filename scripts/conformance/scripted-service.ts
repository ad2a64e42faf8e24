// A service that says what a check wants it to say, over both ways of docs/agent-protocol.md: repeated and late messages,
// short limits of time, and nonsense.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { LINK_PATH, LINK_VERSION, readAgentMessage, type ServiceMessage } from '#/contract/agent-link.ts';
import { AGENT_HTTP_PATH } from '#/contract/agent-http.ts';

/** How a job ended, in the words of the HTTP way: `exit=0`, `how=timeout`. */
type End = string;

const HOW: Record<string, string> = {
  'timed-out': 'how=timeout',
  cancelled: 'how=stopped',
  interrupted: 'how=interrupted',
  'not-started': 'how=refused',
};

interface GivenJob {
  id: string;
  command: string;
  seconds: number;
}

/** Bytes that are no answer of a service: not JSON, huge, unknown, and jobs whose ids lead elsewhere. */
const HUGE = 'x'.repeat(3 * 1024 * 1024);
const frames = (trap: string): string[] => [
  'this is not JSON',
  HUGE,
  '{"type":"telepathy","job":1}',
  'null',
  '[]',
  `{"type":"run","job":"../../escaped","command":"touch ${trap}","timeLimitSeconds":60,"outputLimit":1000,"have":{"stdout":0,"stderr":0}}`,
  `{"type":"run","command":"touch ${trap}"}`,
  '{"type":"stored","job":"x","have":{"stdout":-1,"stderr":"many"}}',
];
const answers = (trap: string): [status: number, body: string][] => [
  [200, '<!doctype html><title>Welcome to the hotel</title>'],
  [200, HUGE],
  [200, ''],
  [500, 'It broke.'],
  [502, '<html>bad gateway</html>'],
  [200, `job ../../escaped 60\n\ntouch ${trap}`],
  [200, `job $(touch ${trap}) 60\n\ntouch ${trap}`],
  [200, `job x many\n\ntouch ${trap}`],
  [200, 'telepathy 1\n'],
  [429, 'Too much.'],
];

const keyOf = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace('Bearer ', '');

export class ScriptedService {
  port = 0;
  /** While set, everything is answered with nonsense; the number is how often that was. */
  trap: string | undefined;
  nonsense = 0;
  /** By job, what was reported of its end, once for each report. */
  readonly ends = new Map<string, End[]>();
  /** Keys that requests had, and those that the agent said it has stored, by their digests. */
  readonly keys = new Set<string>();
  readonly storedKeys = new Set<string>();
  readonly #server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
  readonly #sockets = new WebSocketServer({ server: this.#server, path: LINK_PATH });
  readonly #open = new Set<WebSocket>();
  readonly #messages: string[] = [];
  #socket: WebSocket | undefined;
  #waiting: ((text: string) => void) | undefined;
  #session = 0;
  /** Jobs that an agent may run when it asks. */
  readonly #wanted = new Map<string, GivenJob>();

  /** Whether an agent said hello. */
  get isJoined(): boolean {
    return this.#session > 0;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
    this.#sockets.on('connection', (socket, request) => {
      this.keys.add(keyOf(request));
      this.#connected(socket);
    });
  }

  close(): void {
    for (const socket of this.#open) socket.terminate();
    this.#sockets.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Hands a job out, as often as this. */
  give(job: GivenJob, times = 1): void {
    if (!this.ends.has(job.id)) this.#wanted.set(job.id, job);
    for (let time = 0; time < times; time++) {
      this.#say({
        type: 'run',
        job: job.id,
        command: job.command,
        timeLimitSeconds: job.seconds,
        outputLimit: 1_000_000,
        have: { stdout: 0, stderr: 0 },
      });
      this.#hand(`job ${job.id} ${job.seconds}\n\n${job.command}`);
    }
  }

  /** Waits for another hello. */
  rejoin(): void {
    this.#session = 0;
    this.#socket = undefined;
    for (const socket of this.#open) socket.terminate();
  }

  stop(id: string): void {
    this.#say({ type: 'cancel', job: id });
    this.#hand(`stop ${id}\n`);
  }

  replaceKey(key: string): void {
    this.#say({ type: 'key', key });
    this.#hand(`key ${key}\n`);
  }

  /** Confirms the end once more, which only the WebSocket link can. */
  settle(id: string): void {
    this.#say({ type: 'settled', job: id });
  }

  #say(message: ServiceMessage): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #hand(text: string): void {
    if (this.#socket) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(text);
    else this.#messages.push(text);
  }

  #end(job: string, end: End): void {
    this.#wanted.delete(job);
    this.ends.set(job, [...(this.ends.get(job) ?? []), end]);
  }

  #connected(socket: WebSocket): void {
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
    socket.on('message', (bytes: Buffer) => {
      const message = readAgentMessage(bytes.toString());
      if (this.trap !== undefined) {
        const all = frames(this.trap);
        if (message?.type === 'hello')
          socket.send(JSON.stringify({ type: 'welcome', version: LINK_VERSION, device: 'device', name: 'device' }));
        socket.send(all[this.nonsense++ % all.length] ?? '');
        return;
      }
      if (message?.type === 'hello') {
        this.#socket = socket;
        this.#session += 1;
        this.#say({ type: 'welcome', version: LINK_VERSION, device: 'device', name: 'device' });
      } else if (message?.type === 'output') {
        const have = { stdout: 0, stderr: 0 };
        have[message.stream] = message.offset + Buffer.from(message.data, 'base64').length;
        this.#say({ type: 'stored', job: message.job, have });
      } else if (message?.type === 'ended') {
        this.#end(message.job, HOW[message.outcome] ?? `exit=${message.exitCode}`);
        this.#say({ type: 'settled', job: message.job });
      } else if (message?.type === 'key-stored') this.storedKeys.add(message.sha256);
    });
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://service');
    this.keys.add(keyOf(incoming));
    let length = 0;
    for await (const part of incoming) length += (part as Buffer).length;
    const send = (status: number, body: string) =>
      outgoing
        .writeHead(status, { 'Content-Type': 'text/plain', ...(status === 429 && { 'Retry-After': '1' }) })
        .end(body);
    if (!pathname.startsWith(AGENT_HTTP_PATH)) return void send(404, 'Not found.');
    // The first hellos and whatever follows a session.
    if (this.trap !== undefined && (this.nonsense < 3 || !pathname.endsWith('/hello'))) {
      if (pathname.endsWith('/taken')) return void send(200, 'run\n');
      const all = answers(this.trap);
      return void send(...(all[this.nonsense++ % all.length] ?? [500, '']));
    }
    const [, job = '', what = pathname.slice(AGENT_HTTP_PATH.length + 1)] =
      /\/job\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    if (what === 'hello') {
      this.#session += 1;
      send(200, `session ${this.#session}\n`);
    } else if (!this.isJoined) send(409, 'hello: say hello again.\n');
    else if (what === 'next') {
      const next = this.#messages.shift();
      if (next !== undefined) return void send(200, next);
      const wait = setTimeout(() => give(''), Number(searchParams.get('wait') ?? 20) * 1000);
      const give = (text: string) => {
        clearTimeout(wait);
        if (this.#waiting === give) this.#waiting = undefined;
        if (outgoing.destroyed && text !== '') this.#hand(text);
        else send(text === '' ? 204 : 200, text);
      };
      this.#waiting = give;
      outgoing.on('close', () => {
        clearTimeout(wait);
        if (this.#waiting === give) this.#waiting = undefined;
      });
    } else if (what === 'taken') send(200, this.#wanted.has(job) ? 'run\n' : 'drop\n');
    else if (what === 'output') send(200, `next ${Number(searchParams.get('offset')) + length}\n`);
    else if (what === 'ended') {
      this.#end(job, searchParams.has('how') ? `how=${searchParams.get('how')}` : `exit=${searchParams.get('exit')}`);
      send(200, 'ok\n');
    } else send(404, 'Not found.\n');
  }
}
