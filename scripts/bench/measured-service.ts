// Starts the measured service as a process and controls it; its data are in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { TestProcess } from '../test-process.ts';
import type { Requests } from './service-process.ts';

export interface MeasuredService {
  url: string;
  /** The bare server in the same process. */
  bare: string;
  headers: Record<string, string>;
  send: <Name extends keyof Requests>(name: Name, ask: Requests[Name]['ask']) => Promise<Requests[Name]['answer']>;
  /** Kills the process and starts it again on the same data; its address stays the same only if `env` sets PORT. */
  restart: () => Promise<void>;
}

interface Answer {
  id: number;
  answer?: unknown;
  error?: string;
}

/** Starts the process; it listens as soon as the promise resolves. */
async function start(env: Record<string, string>) {
  const program = new TestProcess(['--expose-gc', '--max-semi-space-size=16', 'scripts/bench/service-process.ts'], {
    env,
  });
  const { child } = program;
  const waiting = new Map<number, (answer: Answer) => void>();
  let asked = 0;
  const answerTo = async (id: number): Promise<unknown> => {
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.set(id, resolve);
      void program.ended.then(() => reject(new Error(`The measured service ended by itself:\n${program.printed}`)));
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.answer;
  };
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const send: MeasuredService['send'] = async (name, ask) => {
    const id = ++asked;
    const answer = answerTo(id);
    child.send({ id, name, ask });
    return (await answer) as Requests[typeof name]['answer'];
  };
  await answerTo(0);
  return { send, program };
}

interface Settings {
  /** On a PostgreSQL of its own, with the safety that it has by default, instead of SQLite. */
  postgres?: boolean;
  /** Adds to its environment. */
  env?: Record<string, string>;
}

/** Runs `work` on a new service and stops it afterwards, also after an error. */
export async function withService<T>(
  work: (service: MeasuredService) => Promise<T>,
  { postgres: onPostgres = false, env = {} }: Settings = {},
): Promise<T> {
  if (onPostgres) installEngines();
  const postgres = onPostgres ? await startPostgres(DURABLE) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    TUNNEL_PORT: '0',
    DATA_DIR: folder,
    AUTH_TOKEN: 'token-of-the-benchmarks',
    MAX_DEVICES: '10000000',
    ...(postgres && { DATABASE_URL: postgres.url }),
    ...env,
  };
  let running: Awaited<ReturnType<typeof start>> | undefined;
  try {
    running = await start(settings);
    const { url, bare, token } = await running.send('addresses', null);
    const send: MeasuredService['send'] = (name, ask) => {
      if (!running) throw new Error('The measured service is not running.');
      return running.send(name, ask);
    };
    const restart = async () => {
      await running?.program.end('SIGKILL');
      running = await start(settings);
    };
    const result = await work({ url, bare, headers: { Authorization: `Bearer ${token}` }, send, restart });
    await send('stop', null);
    await running.program.ended;
    return result;
  } finally {
    await running?.program.end('SIGKILL');
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The service's answer; throws unless it is a success. */
export async function request(measured: MeasuredService, path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(measured.url + path, {
    ...init,
    headers: { ...measured.headers, 'Content-Type': 'application/json' },
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

export const post = async <T>(measured: MeasuredService, path: string, body: object): Promise<T> =>
  (await request(measured, path, { method: 'POST', body: JSON.stringify(body) })) as T;

/** Gives a browser's context a session at the service. */
export async function signIn(context: BrowserContext, { url, headers }: MeasuredService): Promise<void> {
  const Token = headers['Authorization']?.replace('Bearer ', '');
  await context.request.post(`${url}/auth/session`, { data: { Token }, headers: { Origin: url } });
}

/** A page of the dashboard on the service, signed in. */
export async function signedInPage(browser: Browser, service: MeasuredService, path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await signIn(page.context(), service);
  await page.goto(service.url + path);
  return page;
}
