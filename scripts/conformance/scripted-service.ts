// A service that says what a check wants it to say, over both ways of docs/agent-protocol.md: repeated and late messages,
// short limits of time, refusals, answers that confirm nothing, and nonsense.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  CLOSE,
  cutMark,
  LINK_PATH,
  LINK_VERSION,
  readAgentMessage,
  type ServiceMessage,
} from '#/contract/agent-link.ts';
import { AGENT_HTTP_PATH, isJobId, MAX_HELLO, readHello } from '#/contract/agent-http.ts';
import { MOST_FACTS } from '#/contract/fact-values.ts';

/** How a job ended, in the words of the HTTP way: `exit=0`, `how=timeout`. */
export type End = string;

/** The most bytes of each stream that it stores; over HTTP it cuts the stream itself. */
export const OUTPUT_LIMIT = 1_000_000;

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

/** Answers to the report of an end that do not confirm it, over HTTP and over the WebSocket link. */
const DOUBTS: { status: number; body: string; frame: (job: string) => object }[] = [
  { status: 200, body: '<!doctype html><title>ok</title>', frame: (job) => ({ type: 'ok', job }) },
  { status: 200, body: 'okay\n', frame: (job) => ({ type: 'settled', job: `${job}-2` }) },
  { status: 400, body: '<html><body><h1>400 Bad request</h1>\n', frame: () => ({ type: 'settled' }) },
  { status: 404, body: 'Not found.\n', frame: () => ({}) },
  // Go's and Envoy's.
  { status: 400, body: 'Bad Request', frame: () => ({ type: 'ok' }) },
];

const keyOf = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace('Bearer ', '');

export class ScriptedService {
  port = 0;
  /** While set, everything is answered with nonsense; the number is how often that was. */
  trap: string | undefined;
  nonsense = 0;
  /** By job, what was reported of its end, once for each report. */
  readonly ends = new Map<string, End[]>();
  /** How many reports of an end are still answered by what confirms nothing. */
  doubts = 0;
  /** What all requests are refused with while it is set, and when that was. */
  refusal: { status: number; retryAfter?: string; challenge?: string } | undefined;
  readonly refusedAt: number[] = [];
  /** The facts of the last report, what was said of those that are missing, and what was wrong with hellos. */
  facts = new Map<string, string>();
  problems: string[] = [];
  readonly mistakes: string[] = [];
  /** How often an agent said hello, and how often it asked whether the line is alive. */
  hellos = 0;
  pings = 0;
  /** While set, waits for a message end like this, as by a proxy that has a limit. */
  cutsWaitsAfterMs: number | undefined;
  /** How many waits have ended without a message since, and the time until the next ones began. */
  waits = 0;
  gapsMs = 0;
  #waitEndedAt: number | undefined;
  /** Keys that requests had, and those that the agent said it has stored, by their digests. */
  readonly keys = new Set<string>();
  readonly storedKeys = new Set<string>();
  readonly #server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
  readonly #sockets = new WebSocketServer({
    server: this.#server,
    path: LINK_PATH,
    verifyClient: (
      _info,
      done: (isWelcome: boolean, ...answer: [number, string, Record<string, string>] | []) => void,
    ) => {
      const refused = this.#refuse();
      if (refused) done(false, refused.status, 'Refused.', refused.headers);
      else done(true);
    },
  });
  readonly #open = new Set<WebSocket>();
  readonly #messages: string[] = [];
  #socket: WebSocket | undefined;
  #waiting: ((text: string) => void) | undefined;
  #session = 0;
  #isReplaced = false;
  /** Jobs that an agent may run when it asks. */
  readonly #wanted = new Map<string, GivenJob>();
  /** By `<job>/<stream>`. */
  readonly #outputs = new Map<string, Buffer>();

  /** Whether an agent said hello. */
  get isJoined(): boolean {
    return this.#session > 0;
  }

  /** Whether the agent speaks HTTP. */
  get isHttp(): boolean {
    return this.isJoined && !this.#socket;
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
    if (!this.ends.has(job.id) && isJobId(job.id)) this.#wanted.set(job.id, job);
    for (let time = 0; time < times; time++) {
      this.#run(job);
      this.#hand(`job ${job.id} ${job.seconds}\n\n${job.command}`);
    }
  }

  /** What it has of a stream. */
  outputOf(job: string, stream: string): Buffer {
    return this.#outputs.get(`${job}/${stream}`) ?? Buffer.alloc(0);
  }

  /** Ends the session, and waits for another hello. */
  rejoin(): void {
    this.#session = 0;
    this.#socket = undefined;
    for (const socket of this.#open) socket.terminate();
    this.endWait();
  }

  /** Answers a waiting request that there is nothing to do. */
  endWait(): void {
    this.#waiting?.('');
  }

  /** As if another agent had taken the device over. */
  replace(): void {
    this.#isReplaced = true;
    for (const socket of this.#open) socket.close(CLOSE.replaced, 'Another agent connected');
    this.endWait();
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

  #run(job: GivenJob): void {
    this.#say({
      type: 'run',
      job: job.id,
      command: job.command,
      timeLimitSeconds: job.seconds,
      outputLimit: OUTPUT_LIMIT,
      have: this.#have(job.id),
    });
  }

  #have(job: string): { stdout: number; stderr: number } {
    return { stdout: this.outputOf(job, 'stdout').length, stderr: this.outputOf(job, 'stderr').length };
  }

  #store(job: string, stream: string, offset: number, bytes: Buffer): void {
    const before = this.outputOf(job, stream);
    if (offset > before.length) this.mistakes.push(`${stream} of ${job} has a hole before ${offset}`);
    else this.#outputs.set(`${job}/${stream}`, Buffer.concat([before, bytes.subarray(before.length - offset)]));
  }

  #refuse(): { status: number; headers: Record<string, string> } | undefined {
    if (!this.refusal) return undefined;
    this.refusedAt.push(performance.now());
    const { status, retryAfter, challenge } = this.refusal;
    const headers = {
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
      ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    };
    return { status, headers };
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

  /** The answer if it is not confirmed. */
  #end(job: string, end: End): (typeof DOUBTS)[number] | undefined {
    this.ends.set(job, [...(this.ends.get(job) ?? []), end]);
    if (this.doubts > 0) return DOUBTS[--this.doubts % DOUBTS.length];
    this.#wanted.delete(job);
    return undefined;
  }

  #connected(socket: WebSocket): void {
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
    socket.on('ping', () => (this.pings += 1));
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
        this.hellos += 1;
        this.#say({ type: 'welcome', version: LINK_VERSION, device: 'device', name: 'device', facts: '' });
        for (const job of this.#wanted.values()) this.#run(job);
      } else if (message?.type === 'facts') {
        this.#keepFacts(new Map(message.facts.map(({ name, value }) => [name, value])), message.problems);
      } else if (message?.type === 'output') {
        this.#store(message.job, message.stream, message.offset, Buffer.from(message.data, 'base64'));
        this.#say({ type: 'stored', job: message.job, have: this.#have(message.job) });
      } else if (message?.type === 'ended') {
        const doubt = this.#end(message.job, HOW[message.outcome] ?? `exit=${message.exitCode}`);
        if (!doubt) return this.#say({ type: 'settled', job: message.job });
        socket.send(JSON.stringify(doubt.frame(message.job)), () => socket.terminate());
      } else if (message?.type === 'key-stored') this.storedKeys.add(message.sha256);
    });
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://service');
    this.keys.add(keyOf(incoming));
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const refused = this.#refuse();
    if (refused) return void outgoing.writeHead(refused.status, refused.headers).end('Refused.\n');
    const send = (status: number, text: string) =>
      outgoing
        .writeHead(status, { 'Content-Type': 'text/plain', ...(status === 429 && { 'Retry-After': '1' }) })
        .end(text);
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
      if (!this.#report(body)) return void send(400, `The request is not valid: ${this.mistakes.at(-1)}\n`);
      this.#session += 1;
      this.hellos += 1;
      send(200, `session ${this.#session}\n`);
    } else if (this.#isReplaced) send(409, 'replaced: another agent said hello.\n');
    else if (!this.isJoined) send(409, 'hello: say hello again.\n');
    else if (what === 'next') {
      if (this.#waitEndedAt !== undefined) this.gapsMs += performance.now() - this.#waitEndedAt;
      this.#waitEndedAt = undefined;
      const next = this.#messages.shift();
      if (next !== undefined) return void send(200, next);
      const asked = Number(searchParams.get('wait') ?? 20) * 1000;
      const cutAfter = this.cutsWaitsAfterMs ?? Infinity;
      const wait = setTimeout(() => give(''), Math.min(asked, cutAfter));
      const give = (text: string) => {
        clearTimeout(wait);
        if (this.#waiting === give) this.#waiting = undefined;
        if (outgoing.destroyed && text !== '') return this.#hand(text);
        if (text === '' && this.cutsWaitsAfterMs !== undefined) {
          this.waits += 1;
          this.#waitEndedAt = performance.now();
        }
        if (text === '' && cutAfter < asked) send(504, '<html>Gateway timeout</html>\n');
        else send(text === '' ? 204 : 200, text);
      };
      this.#waiting = give;
      outgoing.on('close', () => {
        clearTimeout(wait);
        if (this.#waiting === give) this.#waiting = undefined;
      });
    } else if (what === 'facts') {
      const isReport = incoming.method === 'PUT' && this.#report(body);
      send(isReport ? 204 : 400, isReport ? '' : `The request is not valid: ${this.mistakes.at(-1)}\n`);
    } else if (what === 'taken') send(200, this.#wanted.has(job) || !isJobId(job) ? 'run\n' : 'drop\n');
    else if (what === 'output') {
      const stream = searchParams.get('stream') ?? '';
      const offset = Number(searchParams.get('offset'));
      if (this.outputOf(job, stream).length <= OUTPUT_LIMIT) this.#store(job, stream, offset, body);
      const stored = this.outputOf(job, stream);
      if (stored.length <= OUTPUT_LIMIT) return void send(200, `next ${stored.length}\n`);
      const cut = Buffer.concat([stored.subarray(0, OUTPUT_LIMIT), Buffer.from(cutMark(OUTPUT_LIMIT))]);
      this.#outputs.set(`${job}/${stream}`, cut);
      send(200, `next ${offset + body.length}\nfull\n`);
    } else if (what === 'ended') {
      const how = searchParams.get('how');
      const doubt = this.#end(job, how === null ? `exit=${searchParams.get('exit')}` : `how=${how}`);
      send(doubt?.status ?? 200, doubt?.body ?? 'ok\n');
    } else send(404, 'Not found.\n');
  }

  /** As the service, which leaves out those beyond the most, and says so. */
  #keepFacts(facts: ReadonlyMap<string, string>, problems: string[]): void {
    this.facts = new Map([...facts].slice(0, MOST_FACTS));
    this.problems = [...problems, ...[...facts.keys()].slice(MOST_FACTS).map((name) => `${name} is one too many`)];
  }

  /** Stores the facts of a body; false if it is not one that the service takes. */
  #report(body: Buffer): boolean {
    try {
      if (body.length > MAX_HELLO) throw new Error(`${body.length} bytes are too many`);
      const { facts, problems } = readHello(body.toString());
      const own = [...facts].filter(([name]) => name.startsWith('facts_')).map(([, value]) => value);
      this.#keepFacts(facts, [...own, ...problems]);
      return true;
    } catch (error) {
      this.mistakes.push((error as Error).message);
      return false;
    }
  }
}
