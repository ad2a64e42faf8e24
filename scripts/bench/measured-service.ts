// Starts the measured service as a process and controls it; its data are in a temporary folder.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  const child = fork(fileURLToPath(new URL('./service-process.ts', import.meta.url)), {
    execArgv: ['--expose-gc', '--max-semi-space-size=16'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  let asked = 0;
  const answerTo = async (id: number): Promise<unknown> => {
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error('The measured service ended by itself.')));
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
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  try {
    await answerTo(0);
  } catch (cause) {
    await kill();
    throw cause;
  }
  return { send, ended, kill };
}

/** Runs `work` on a new service and stops it afterwards, also after an error. `env` adds to its settings. */
export async function withService<T>(
  work: (service: MeasuredService) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    TUNNEL_PORT: '0',
    DATA_DIR: folder,
    AUTH_TOKEN: 'token-of-the-benchmarks',
    MAX_DEVICES: '10000000',
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
      await running?.kill();
      running = undefined;
      running = await start(settings);
    };
    const result = await work({ url, bare, headers: { Authorization: `Bearer ${token}` }, send, restart });
    await send('stop', null);
    await running.ended;
    return result;
  } finally {
    await running?.kill();
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
