// Firefox without a screen, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/): only what the smoke needs of it.
// Playwright's own Firefox is a build that no distribution has, and its BiDi asks for commands that an ESR does not know.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

const COMMANDS = ['firefox-esr', 'firefox'];
const INSTALLED_AT = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)'].flatMap((name) => {
    const folder = process.env[name];
    return folder === undefined ? [] : [join(folder, 'Mozilla Firefox/firefox.exe')];
  }),
];
const START_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 60_000;
/** How long what should be on the page may take to get there, and how often it is looked for. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;

type Role = 'link' | 'button' | 'heading';
interface Answer {
  id?: number;
  type: string;
  result?: unknown;
  message?: string;
  method?: string;
  params?: { level?: string; text?: string; stackTrace?: unknown };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Firefox of this machine: the one that FIREFOX_PATH names, else the system's. */
export function findFirefox(): string | undefined {
  const chosen = process.env['FIREFOX_PATH'];
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`FIREFOX_PATH=${chosen} is not a program that can be run`);
    return chosen;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command))), ...INSTALLED_AT].find(
    isExecutable,
  );
}

/** One window of a Firefox with a profile of its own. */
export class Firefox {
  version = '';
  /** What the page said on its console as errors, uncaught ones included. */
  readonly errors: string[] = [];
  private readonly socket: WebSocket;
  private readonly end: () => Promise<void>;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private context = '';
  private sent = 0;

  private constructor(socket: WebSocket, end: () => Promise<void>) {
    this.socket = socket;
    this.end = end;
    socket.on('message', (data) => this.take(JSON.parse((data as Buffer).toString()) as Answer));
  }

  static async start(program: string): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'muster-firefox-'));
    const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const gone = once(child, 'close');
    const end = async () => {
      child.kill('SIGKILL');
      await gone;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    };
    try {
      const listening = Promise.withResolvers<string>();
      createInterface({ input: child.stderr }).on('line', (line) => {
        const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
        if (address !== undefined) listening.resolve(address);
      });
      const address = await within(START_LIMIT_MS, 'Firefox to listen', [
        listening.promise,
        gone.then(() => Promise.reject(new Error('Firefox ended before it listened'))),
      ]);
      const socket = new WebSocket(`${address}/session`);
      await once(socket, 'open');
      const firefox = new Firefox(socket, end);
      await firefox.begin();
      return firefox;
    } catch (error) {
      await end();
      throw error;
    }
  }

  private async begin(): Promise<void> {
    const session = await this.send<{ capabilities: { browserVersion: string } }>('session.new', { capabilities: {} });
    this.version = session.capabilities.browserVersion;
    await this.send('session.subscribe', { events: ['log.entryAdded'] });
    const { contexts } = await this.send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
    this.context = contexts[0]?.context ?? '';
    await this.send('browsingContext.setViewport', { context: this.context, viewport: { width: 1280, height: 900 } });
  }

  private take({ id, ...answer }: Answer): void {
    if (id !== undefined) this.waiting.get(id)?.(answer);
    else if (answer.method === 'log.entryAdded' && answer.params?.level === 'error')
      this.errors.push(answer.params.text ?? '');
  }

  private async send<Result>(method: string, params: object): Promise<Result> {
    const id = ++this.sent;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.waiting.set(id, resolve);
    this.socket.send(JSON.stringify({ id, method, params }));
    const answer = await within(ANSWER_LIMIT_MS, method, [promise]);
    this.waiting.delete(id);
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result as Result;
  }

  async open(url: string): Promise<void> {
    await this.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  /** The value of an expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send<{
      result?: { value?: T };
      exceptionDetails?: { text: string };
    }>('script.evaluate', { expression, target: { context: this.context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value as T;
  }

  /** Waits until an expression in the page is true. */
  async until(what: string, expression: string): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await this.value<boolean>(expression)); await pause(LOOK_MS))
      if (Date.now() > end) throw new Error(`${what} did not come; the page says: ${await this.text()}`);
  }

  /** Waits for this text on the page. */
  sees(text: string): Promise<void> {
    return this.until(`"${text}"`, `document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  private text = () => this.value<string>('document.body.innerText.slice(0, 2000)');

  /** Clicks, as a mouse does, on what has this role and name, once it is at rest and nothing covers it. */
  async click(role: Role, name: string): Promise<void> {
    const locator = { type: 'accessibility', value: { role, name } };
    for (const end = Date.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
      const { nodes } = await this.send<{ nodes: { sharedId: string }[] }>('browsingContext.locateNodes', {
        context: this.context,
        locator,
      });
      const [node] = nodes;
      if (node && (await this.isAtRest(node.sharedId))) return this.press(node.sharedId);
      if (Date.now() > end) throw new Error(`No ${role} "${name}" to click; the page says: ${await this.text()}`);
    }
  }

  /** Whether a click would meet an element, which did not move for two frames; brings it into view. */
  private async isAtRest(sharedId: string): Promise<boolean> {
    const { result } = await this.send<{ result?: { value?: boolean } }>('script.callFunction', {
      functionDeclaration: `async (node) => {
        node.scrollIntoView({ block: 'center' });
        const box = node.getBoundingClientRect();
        for (let frame = 0; frame < 2; frame += 1) await new Promise((next) => requestAnimationFrame(next));
        const { x, y, width, height } = node.getBoundingClientRect();
        return x === box.x && y === box.y && node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      }`,
      arguments: [{ sharedId }],
      target: { context: this.context },
      awaitPromise: true,
    });
    return result?.value === true;
  }

  private async press(sharedId: string): Promise<void> {
    const origin = { type: 'element', element: { sharedId } };
    await this.send('input.performActions', {
      context: this.context,
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: 0, y: 0, origin },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** Types into what has the focus. */
  async type(text: string): Promise<void> {
    const actions = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.send('input.performActions', {
      context: this.context,
      actions: [{ type: 'key', id: 'keys', actions }],
    });
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.end();
  }
}

/** The first of these promises, or an error after this time. */
async function within<T>(limit: number, what: string, promises: Promise<T>[]): Promise<T> {
  const over = new AbortController();
  const late = pause(limit, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`${what}: no answer within ${limit / 1000} s`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([...promises, late]);
  } finally {
    over.abort();
  }
}
