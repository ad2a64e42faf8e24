// A service for tests of the shell agent: speaks docs/agent-protocol.md from memory, and lets a test lose answers, stop
// jobs and replace keys at any moment.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Answer {
  status: number;
  text?: string;
  headers?: Record<string, string>;
}

/** What the service answers to a key that it does not know. */
export const KEY_REFUSED: Answer = {
  status: 401,
  text: 'Unknown device key: check the key.',
  headers: { 'WWW-Authenticate': 'Bearer realm="muster"' },
};

export interface TestJob {
  id: string;
  command: string;
  limit: number;
  isTaken: boolean;
  isStopped: boolean;
  stdout: Buffer;
  stderr: Buffer;
  /** The query of its `ended`, and the reason. */
  end?: URLSearchParams;
  reason?: string;
}

/** What a test does instead of answering: undefined to answer as usual, 'lose' to handle the request and cut the connection. */
export type Fault = (request: {
  method: string;
  path: string;
  key: string;
  body: Buffer;
}) => Answer | 'lose' | undefined;

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

const readLines = (body: Buffer) =>
  new Map(
    body
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line): [string, string] => {
        const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(line) ?? [];
        return [name, decodeURIComponent(value)];
      }),
  );

export class TestService {
  key = 'dk_first';
  /** Handed out until it was used. */
  newKey: string | undefined;
  readonly jobs: TestJob[] = [];
  hellos: Map<string, string>[] = [];
  /** Every report of facts within a session. */
  reports: Map<string, string>[] = [];
  /** Every request that was answered, in order. */
  readonly requests: string[] = [];
  fault: Fault = () => undefined;
  #session = 0;
  #waiting: ((answer: Answer) => void) | undefined;
  #server: Server | undefined;
  #port = 0;
  #origin = 'http://127.0.0.1';

  get url(): string {
    return `${this.#origin}:${this.#port}`;
  }

  /** @param tls a certificate for localhost, to speak https */
  async start(tls?: { key: string; cert: string }): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
    this.#server = tls ? createTlsServer(tls, handle) : createServer(handle);
    this.#origin = tls ? 'https://localhost' : 'http://127.0.0.1';
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#waiting = undefined;
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server) await once(this.#server, 'close');
    this.#server = undefined;
  }

  add(id: string, command: string, limit = 60): TestJob {
    const job = {
      id,
      command,
      limit,
      isTaken: false,
      isStopped: false,
      stdout: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
    };
    this.jobs.push(job);
    this.#wake();
    return job;
  }

  askToStop(job: TestJob): void {
    job.isStopped = true;
    this.#wake();
  }

  replaceKey(key: string): void {
    this.newKey = key;
    this.#wake();
  }

  /** As if the agent of another machine had said hello. */
  replaceSession(): void {
    this.#session += 1;
    this.#answerWaiting({ status: 409, text: 'replaced: another agent said hello.' });
  }

  /** As after a restart that lost the session. */
  forgetSession(): void {
    this.#session = 0;
    this.#answerWaiting({ status: 409, text: 'hello: this session is unknown. Say hello again.' });
  }

  #wake(): void {
    const found = this.#waiting && this.#next();
    if (found) this.#answerWaiting(found);
  }

  #answerWaiting(answer: Answer): void {
    this.#waiting?.(answer);
    this.#waiting = undefined;
  }

  #next(): Answer | undefined {
    if (this.newKey !== undefined) return { status: 200, text: `key ${this.newKey}\n` };
    const job = this.jobs.find(({ end }) => !end);
    if (job?.isStopped) return { status: 200, text: `stop ${job.id}\n` };
    if (job && !job.isTaken) return { status: 200, text: `job ${job.id} ${job.limit}\n\n${job.command}` };
    return undefined;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', this.url);
    const path = url.pathname.replace('/agent/v1', '');
    const key = headers.authorization?.replace('Bearer ', '') ?? '';
    const fault = this.fault({ method, path, key, body });
    let answer: Answer;
    if (typeof fault === 'object') answer = fault;
    else answer = await this.#answer({ method, path, query: url.searchParams, headers, body });
    this.requests.push(`${method} ${path} ${answer.status}`);
    if (fault === 'lose') return void response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.status === 204 ? '' : `${answer.text ?? ''}\n`);
  }

  async #answer({
    method,
    path,
    query,
    headers,
    body,
  }: {
    method: string;
    path: string;
    query: URLSearchParams;
    headers: IncomingMessage['headers'];
    body: Buffer;
  }): Promise<Answer> {
    const key = headers.authorization?.replace('Bearer ', '');
    if (this.newKey !== undefined && key === this.newKey) {
      this.key = this.newKey;
      this.newKey = undefined;
    }
    if (key !== this.key) return KEY_REFUSED;
    if (path === '/hello') {
      this.hellos.push(readLines(body));
      this.#answerWaiting({ status: 409, text: 'replaced: another agent said hello.' });
      this.#session = this.hellos.length * 10;
      return { status: 200, text: `session ${this.#session}` };
    }
    if (headers['muster-session'] === undefined) return { status: 400, text: 'Muster-Session is missing.' };
    if (this.#session === 0) return { status: 409, text: 'hello: this session is unknown. Say hello again.' };
    if (headers['muster-session'] !== String(this.#session))
      return { status: 409, text: 'replaced: another agent said hello.' };
    if (path === '/facts') {
      this.reports.push(readLines(body));
      return { status: 204 };
    }
    if (path === '/next') {
      const found = this.#next();
      if (found) return found;
      this.#answerWaiting({ status: 204 });
      return new Promise((resolve) => {
        this.#waiting = resolve;
        setTimeout(
          () => {
            resolve({ status: 204 });
            if (this.#waiting === resolve) this.#waiting = undefined;
          },
          Number(query.get('wait')) * 1000,
        ).unref();
      });
    }
    const [, id, what] = /^\/job\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    const job = this.jobs.find((each) => each.id === id);
    if (!job) return { status: 200, text: what === 'taken' ? 'drop' : 'ok' };
    if (method === 'POST' && what === 'taken') {
      if (job.isStopped && !job.isTaken) {
        job.end = new URLSearchParams('how=stopped');
        return { status: 200, text: 'drop' };
      }
      job.isTaken = true;
      return { status: 200, text: 'run' };
    }
    if (method === 'PUT' && what === 'output') {
      const stream = query.get('stream') as 'stdout' | 'stderr';
      const offset = Number(query.get('offset'));
      if (offset > job[stream].length) return { status: 409, text: `next ${job[stream].length}` };
      if (offset + body.length > job[stream].length)
        job[stream] = Buffer.concat([job[stream].subarray(0, offset), body]);
      return { status: 200, text: `next ${job[stream].length}` };
    }
    if (Number(query.get('exit')) > 255)
      return { status: 400, text: 'The request is not valid: "exit" must be at most 255.' };
    job.end ??= query;
    job.reason ??= body.toString();
    this.#wake();
    return { status: 200, text: 'ok' };
  }
}
