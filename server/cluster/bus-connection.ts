// One connection that is opened again whenever it is lost, with growing pauses of random length so that nodes do not
// arrive together. A cut network cannot be noticed otherwise, so the server is pinged from time to time.
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../operation/log.ts';
import type { Pace } from './bus.ts';

/** A network that was cut is noticed within three checks. */
export const DEFAULT_PACE: Pace = { checkMs: 2_500, connectMs: 5_000 };
/** Further checks at which the answer to one may still be missing. */
const MAX_UNANSWERED = 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** For the last messages. */
const CLOSE_MS = 1_000;

export interface Connection {
  /** Resolves when it has ended for any reason. */
  ended: Promise<unknown>;
  /** Resolves when the server has answered. */
  check(): Promise<unknown>;
  /** Sends what is left. */
  end(): Promise<unknown>;
  /** Ends it at once. */
  destroy(): void;
}

export interface ConnectionOptions<Opened extends Connection> {
  /** Name and address for the log. */
  server: string;
  checkMs: number;
  connect: (signal: AbortSignal) => Promise<Opened>;
  /** Called when there is a connection after a time without. */
  reconnected: (opened: Opened) => void;
}

export interface LastingConnection<Opened extends Connection> {
  current(): Opened | undefined;
  close(): Promise<void>;
}

/** Resolves after the first attempt, even if that failed. */
export async function keepConnected<Opened extends Connection>({
  server,
  checkMs,
  connect,
  reconnected,
}: ConnectionOptions<Opened>): Promise<LastingConnection<Opened>> {
  const closing = new AbortController();
  const { signal } = closing;
  const tried = Promise.withResolvers<void>();
  let current: Opened | undefined;
  let pause = FIRST_PAUSE_MS;
  /** Whether messages may have been missed. */
  let isLost = false;
  let isReported = false;

  const attempt = async () => {
    try {
      current = await connect(signal);
    } catch (cause) {
      if (!isReported && !signal.aborted)
        log.warn(
          `${server} cannot be used for messages between nodes (${describe(cause)}): changes reach other nodes later.`,
        );
      isLost = true;
      isReported = true;
      return;
    }
    if (isLost && !signal.aborted) {
      log.info(`${server} can be used for messages between nodes.`);
      reconnected(current);
    }
    isReported = false;
    tried.resolve();
    if (await lasts(current, checkMs, signal)) pause = FIRST_PAUSE_MS;
    current = undefined;
    isLost = true;
    if (!signal.aborted) log.warn(`The connection to ${server} for messages between nodes was lost.`);
  };
  const run = async () => {
    while (!signal.aborted) {
      await attempt();
      tried.resolve();
      await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  };
  const running = run();
  await tried.promise;
  return {
    current: () => current,
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

/** Waits until the connection has ended, and ends it on the signal. Resolves to whether the server ever answered. */
async function lasts(connection: Connection, checkMs: number, signal: AbortSignal): Promise<boolean> {
  let answers = 0;
  let unanswered = 0;
  const checks = setInterval(() => {
    if (unanswered === MAX_UNANSWERED) return connection.destroy();
    unanswered += 1;
    if (unanswered === 1) ask();
  }, checkMs);
  const ask = () => {
    connection.check().then(
      () => {
        answers += 1;
        unanswered = 0;
      },
      () => connection.destroy(),
    );
  };
  const end = async (): Promise<void> => {
    await Promise.race([connection.end(), sleep(CLOSE_MS, undefined, { ref: false })]).catch(() => {});
    connection.destroy();
  };
  const aborted = () => void end();
  if (signal.aborted) aborted();
  signal.addEventListener('abort', aborted);
  await connection.ended;
  signal.removeEventListener('abort', aborted);
  clearInterval(checks);
  connection.destroy();
  return answers > 0;
}

/** Errors of several addresses have no message of their own. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(describe).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
