// Speaks the agent's side of the HTTP way, one request at a time.
import { AGENT_HTTP_PATH, SESSION_HEADER } from '#/contract/agent-http.ts';

export interface HttpReply {
  status: number;
  /** The body without the line break at its end. */
  text: string;
  headers: Headers;
}

export class HttpAgent {
  session = '';
  /** The device key that its requests carry. */
  key: string;
  readonly #url: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.key = key;
  }

  /** Says hello, and uses the session from then on. */
  static async connect(url: string, key: string, lines: string[] = []): Promise<HttpAgent> {
    const agent = new HttpAgent(url, key);
    const { status, text } = await agent.hello(lines);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return agent;
  }

  /** The same agent at another node. */
  at(url: string): HttpAgent {
    const agent = new HttpAgent(url, this.key);
    agent.session = this.session;
    return agent;
  }

  async hello(lines: string[] = []): Promise<HttpReply> {
    const body = ['agent=9.9.9', 'kind=sh', 'hostname=fake', 'os=testos', ...lines].join('\n');
    const reply = await this.ask('POST', '/hello', body);
    this.session = /^session (\d+)$/.exec(reply.text)?.[1] ?? this.session;
    return reply;
  }

  next = (wait = 20, running?: string) =>
    this.ask('GET', `/next?wait=${wait}${running === undefined ? '' : `&running=${running}`}`);
  taken = (job: string) => this.ask('POST', `/job/${job}/taken`);
  output = (job: string, offset: number, bytes: string | Uint8Array<ArrayBuffer>, stream = 'stdout') =>
    this.ask('PUT', `/job/${job}/output?stream=${stream}&offset=${offset}`, bytes);
  facts = (lines: string[]) => this.ask('PUT', '/facts', lines.join('\n'));
  ended = (job: string, query: string, reason?: string) => this.ask('POST', `/job/${job}/ended?${query}`, reason);

  async ask(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>): Promise<HttpReply> {
    const response = await fetch(this.#url + AGENT_HTTP_PATH + path, {
      method,
      headers: { Authorization: `Bearer ${this.key}`, ...(this.session !== '' && { [SESSION_HEADER]: this.session }) },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: (await response.text()).replace(/\n$/, ''), headers: response.headers };
  }
}
