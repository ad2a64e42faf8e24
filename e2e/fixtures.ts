// What every end-to-end test uses: an account of its own on a real service, real agents as processes, and a page that fails
// the test on a console error, a blocked resource or a request to another host. No context of the browser may send a token
// to another host (token-guard.ts).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { ServiceCalls } from '../scripts/test-calls.ts';
import { ServiceProcess, TestProcess } from '../scripts/test-process.ts';
import { TokenGuard } from './token-guard.ts';

const TOKEN = 'e2e-token-0123456789abcdefghij';

type Environment = Record<string, string>;

interface AgentStart {
  /** The file to run. */
  program?: string;
  data?: string;
  env?: Environment;
  args?: string[];
  /** The line to wait for; by default that it is connected. */
  prints?: RegExp;
}

/** A service as a process, with its data in a temporary folder. */
class Program {
  /** The link to sign in that it printed at its last start. */
  signInLink = '';
  readonly folders = new Folders();
  private readonly program: ServiceProcess;

  constructor(env: Environment) {
    const own = { HOST: '127.0.0.1', PORT: '0', TUNNEL_PORT: '0', DATA_DIR: undefined };
    this.program = new ServiceProcess({ ...process.env, ...own, AUTH_TOKEN: TOKEN, SIGNIN_LIMIT: '1000', ...env });
  }

  get url(): string {
    return this.program.url;
  }

  get dataFolder(): string {
    return this.program.env['DATA_DIR'] ?? '';
  }

  async start(): Promise<void> {
    this.program.env['DATA_DIR'] ??= await this.folders.add('data');
    const program = await this.program.start();
    this.signInLink = (await program.line(/Sign in: (\S+)/))[1] ?? '';
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.program.end(signal);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.folders.remove();
  }
}

/** Temporary folders, which are removed at the end. */
class Folders {
  private readonly made: string[] = [];

  async add(name: string): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), `muster-e2e-${name}-`));
    this.made.push(folder);
    return folder;
  }

  async remove(): Promise<void> {
    await Promise.all(this.made.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  }
}

/** A service for many tests, each of which has an account of its own: to start one for each would be a quarter of their work. */
class SharedProgram {
  private readonly program = new Program({});
  private accounts: TestProcess | undefined;
  private count = 0;

  async start(): Promise<void> {
    await this.program.start();
    this.accounts = new TestProcess(['scripts/test-accounts.ts'], {
      env: { ...process.env, DATA_DIR: this.program.dataFolder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** A new account on it, as if the service were there for it alone. */
  async account(): Promise<{ program: Program; token: string; signInLink: string }> {
    if (!this.accounts) throw new Error('The service has not been started');
    const number = ++this.count;
    this.accounts.child.stdin?.write(`${number}\n`);
    const [, token = '', code = ''] = await this.accounts.line(new RegExp(`^${number} (\\S+) (\\S+)$`));
    return { program: this.program, token, signInLink: `${this.program.url}/sign-in#code=${code}` };
  }

  async close(): Promise<void> {
    await this.accounts?.end();
    await this.program.close();
  }
}

interface OwnAccount {
  program: Program;
  token: string;
  signInLink?: string;
  /** Whether others use the service, too. */
  isShared: boolean;
}

/** A running service as one account sees it, and the calls that a test sends to it without the browser. */
export class Service extends ServiceCalls {
  /** A service for itself, with this environment. */
  static own(env: Environment = {}): Service {
    return new Service({ program: new Program(env), token: TOKEN, isShared: false });
  }

  readonly token: string;
  private readonly program: Program;
  private readonly link: string | undefined;
  private readonly isShared: boolean;
  private readonly agents: TestProcess[] = [];
  private readonly folders = new Folders();

  constructor({ program, token, signInLink, isShared }: OwnAccount) {
    super();
    this.program = program;
    this.token = token;
    this.link = signInLink;
    this.isShared = isShared;
  }

  get url(): string {
    return this.program.url;
  }

  get signInLink(): string {
    return this.link ?? this.program.signInLink;
  }

  /** Where the service keeps its data. */
  get dataFolder(): string {
    return this.own.dataFolder;
  }

  private get own(): Program {
    if (this.isShared)
      throw new Error('Other tests use this service, too: test.use({ ownService: true }) gives one alone');
    return this.program;
  }

  folder(name: string): Promise<string> {
    return this.folders.add(name);
  }

  /** Starts it again on the same port and folder, as after a crash. */
  async start(): Promise<void> {
    await this.own.start();
  }

  /** Ends the service's process; SIGKILL is the crash. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.own.stop(signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.end()));
    if (!this.isShared) await this.program.close();
    await this.folders.remove();
  }

  /** Starts a device's agent as a process of its own and waits until it is connected. */
  async agent(
    key: string,
    { program = 'agent/main.ts', data = '', env = {}, args = [], prints = /connected/i }: AgentStart = {},
  ): Promise<TestProcess> {
    const folder = data || (await this.folder('agent'));
    const agent = new TestProcess([program, '--server', this.url, '--data', folder, ...args], {
      env: { ...process.env, ...env, DEVICE_KEY: key },
    });
    this.agents.push(agent);
    await agent.line(prints);
    return agent;
  }
}

interface Options {
  /** Environment of the service, beside what the fixture sets. With any, the service is the test's own. */
  serviceEnv: Environment;
  /** Whether the test needs a service for itself: it stops it, reads its files, or is about what a service has once. */
  ownService: boolean;
  /** What may be on the console, followed by the URL: the browser itself reports each refused request there. */
  expectedConsole: RegExp[];
}

interface Given {
  service: Service;
  signedIn: Page;
  tokenGuard: TokenGuard;
}

export const test = base.extend<Options & Given, { sharedProgram: () => Promise<SharedProgram> }>({
  serviceEnv: [{}, { option: true }],
  ownService: [false, { option: true }],
  expectedConsole: [[], { option: true }],

  tokenGuard: [
    async ({ browser }, use) => {
      const guard = new TokenGuard();
      const stop = guard.watch(browser);
      await use(guard);
      stop();
      expect(await guard.take(), 'tokens that were sent to another host').toEqual([]);
    },
    { auto: true },
  ],

  sharedProgram: [
    async ({}, use) => {
      let started: Promise<SharedProgram> | undefined;
      const start = async () => {
        const program = new SharedProgram();
        await program.start();
        return program;
      };
      await use(() => (started ??= start()));
      await (await started)?.close();
    },
    { scope: 'worker' },
  ],

  service: async ({ serviceEnv, ownService, tokenGuard, sharedProgram }, use) => {
    const isShared = !ownService && Object.keys(serviceEnv).length === 0;
    const service = isShared
      ? new Service({ ...(await (await sharedProgram()).account()), isShared })
      : Service.own(serviceEnv);
    tokenGuard.protect(service.token);
    try {
      if (!isShared) await service.start();
      tokenGuard.allow(service.url);
      await use(service);
    } finally {
      await service.close();
    }
  },

  page: async ({ page, service, expectedConsole }, use) => {
    const { SLOWER } = process.env;
    if (SLOWER !== undefined) await slowDown(page, Number(SLOWER));
    untilApplicationRuns(page);
    const wrong: string[] = [];
    page.on('console', (message) => {
      const text = `${message.text()} (${message.location().url})`;
      if (message.type() === 'error' && !expectedConsole.some((pattern) => pattern.test(text)))
        wrong.push(`console: ${text}`);
    });
    page.on('pageerror', (error) => wrong.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!['blob:', 'data:'].includes(url.protocol) && url.origin !== service.url)
        wrong.push(`request to ${url.origin}`);
    });
    await use(page);
    const faults = [...wrong];
    // The page reads on, and an answer that a test was still changing has no page any more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(faults).toEqual([]);
  },

  /** A page that has a session already, without going through the sign-in form. */
  signedIn: async ({ page, service }, use) => {
    await signIn(page, service);
    await use(page);
  },
});

/**
 * Lets `goto` and `reload` wait for the application, unless they wait for less than the page: until it runs, the links of
 * index.html load another document, and nothing else answers a click.
 */
function untilApplicationRuns(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  const outlineGone = () => page.locator('#boot').waitFor({ state: 'detached' });
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    if (options?.waitUntil === undefined) await outlineGone();
    return response;
  };
  page.reload = async (options) => {
    const response = await reload(options);
    if (options?.waitUntil === undefined) await outlineGone();
    return response;
  };
}

/** Gives the page a processor that is this many times slower. */
export async function slowDown(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: times });
}

/** The same service without some of what it offers beyond the document. */
export const withoutOffers = (page: Page, ...names: string[]) =>
  page.route('**/v1/account', async (route) => {
    const account = (await (await route.fetch()).json()) as { Capabilities: string[] };
    const Capabilities = account.Capabilities.filter((name) => !names.includes(name));
    await route.fulfill({ json: { ...account, Capabilities } });
  });

/** Gives the page's browser a session. */
export const signIn = (page: Page, service: Service, token: string = service.token): Promise<void> =>
  openSession(page, service, '/auth/session', { Token: token });

/**
 * Gives the page's browser another session, which ends its present one. The page is left first: what it still asks for,
 * as parts of the frame do a second after the rest, would be refused.
 */
export async function openSession(page: Page, service: Service, route: string, data: object): Promise<void> {
  await page.goto('about:blank');
  const answer = await page.context().request.post(service.url + route, { data, headers: { origin: service.url } });
  expect(answer.status()).toBe(200);
}

/** Signs out by the menu of the signed-in person. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/**
 * Ends the page's session, so that `act` is the first to find out: what the page reads every few seconds waits until then,
 * because it would sometimes ask for the token first.
 */
export async function endSession(page: Page, act: () => Promise<void>): Promise<void> {
  const { promise: noticed, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/**', async (route) => {
    if (route.request().method() === 'GET') await noticed;
    await route.continue();
  });
  await page.context().clearCookies();
  await act();
  release();
}

type Popup = '[role="menu"]' | '[role="listbox"]';

/** No violation of WCAG 2.2 A or AA that axe finds in the present theme, by all rules or by some only. */
export async function expectAccessibleHere(page: Page, { popup, rules }: { popup?: Popup; rules?: string[] } = {}) {
  // Its source has half a megabyte, and is sent to each document once.
  const there = await page.evaluate(() => 'axe' in globalThis);
  const axe = new AxeBuilder({ page, ...(there && { axeSource: ';' }) })
    .setLegacyMode() // our pages have no frames; the other mode opens a second page for each check
    .options({ resultTypes: ['violations'] });
  if (rules) axe.withRules(rules);
  else axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  if (popup) axe.include(popup).disableRules('region');
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
  expect(found).toEqual([]);
}

/**
 * The same in both themes. A theme changes colours only: everything is checked in the present one and, unless the user
 * chose that one, the contrast again in the other.
 * @param popup a menu or list that is open, checked alone: it is drawn outside of the page's landmarks
 */
export async function expectAccessible(page: Page, popup?: Popup): Promise<void> {
  const { dark, chosen } = await page.evaluate(() => ({
    dark: document.documentElement.dataset['mantineColorScheme'] === 'dark',
    chosen: ['light', 'dark'].includes(localStorage.getItem('mantine-color-scheme-value') ?? ''),
  }));
  const [here, other] = dark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  if (popup) await expect(page.locator(popup).filter({ visible: true })).toHaveCount(1);
  await expectAccessibleHere(page, { ...(popup && { popup }) });
  if (chosen) return;
  await test.step(`in the ${other} theme`, async () => {
    await page.emulateMedia({ colorScheme: other });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', other);
    await expectAccessibleHere(page, { rules: ['color-contrast'], ...(popup && { popup }) });
    await page.emulateMedia({ colorScheme: here });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', here);
  });
}

export { expect };
