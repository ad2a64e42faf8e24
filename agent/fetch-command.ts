// `agent.mjs fetch URL FILE`: downloads for a job on a device that has neither curl nor wget. An interrupted download
// continues where it stopped; it fails after several attempts without progress.
import { closeSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from './durable.ts';
import { request } from './outgoing.ts';
import { UsageError } from './usage-error.ts';

/** The most attempts in a row without a byte, and in total. */
const MAX_IDLE_TRIES = 12;
const MAX_TRIES = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A server that sends nothing for this long counts as unreachable. */
const SILENCE_MS = 60_000;
/** The longest attempt: an answer that trickles never ends. */
const ATTEMPT_MS = 3_600_000;
/** Client errors that may be temporary; all others are final. */
const TRANSIENT_STATUSES = new Set([408, 425, 429]);

/** An error that another attempt would not change. */
class Permanent extends Error {}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return (cause instanceof Error && cause.message) || message || 'the connection was lost';
};

interface DownloadOptions {
  /** The most bytes to accept: a longer response fails as soon as it exceeds them. */
  limit?: number;
  /** Waits up to `longest` milliseconds. */
  pause?: (longest: number) => Promise<unknown>;
  attemptMs?: number;
}

/** Fails before a byte arrives if the rest of the file cannot fit. */
function requireRoom(file: string, missing: number): void {
  const folder = path.dirname(path.resolve(file));
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (missing > free)
    throw new Permanent(
      `Disk full on the device: no space in ${folder}. It needs ${Math.ceil(missing / 1024)} kB, and ${Math.floor(free / 1024)} kB are free.`,
    );
}

/** Downloads `url` to a file; throws an error that describes what went wrong. */
export async function download(
  url: string,
  file: string,
  {
    limit = Infinity,
    pause = (longest) => sleep(longest * (0.5 + Math.random() / 2)),
    attemptMs = ATTEMPT_MS,
  }: DownloadOptions = {},
): Promise<void> {
  const output = openSync(file, 'w', 0o600);
  const write = (bytes: Uint8Array, at: number) => {
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(output, bytes, done, bytes.length - done, at + done);
    } catch (error) {
      throw new Permanent(
        isDiskFull(error)
          ? `Disk full on the device: no space in ${path.dirname(path.resolve(file))}.`
          : `cannot write ${file}: ${(error as Error).message}`,
      );
    }
  };
  let have = 0;
  /** The length of the file. */
  let length = 0;
  let etag: string | null = null;

  const attempt = async (): Promise<void> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(new Error('it sent nothing for a minute')), SILENCE_MS);
    const restartTimer = () => void (timer = timer.refresh());
    try {
      const resume = have > 0 && etag !== null;
      if (!resume) have = 0;
      const response = await request(url, {
        headers: resume ? { Range: `bytes=${have}-`, 'If-Range': etag ?? '' } : {},
        signal: AbortSignal.any([silence.signal, AbortSignal.timeout(attemptMs)]),
      });
      restartTimer();
      const { status, headers, body } = response;
      if (status === 416) have = 0; // the content changed or became shorter: start again
      if (status >= 400 && status < 500 && status !== 416 && !TRANSIENT_STATUSES.has(status))
        throw new Permanent(`the service answered ${status} ${response.statusText}`.trim());
      if ((status !== 200 && status !== 206) || !body) throw new Error(`the service answered ${status}`);
      if (status === 200 || !headers.get('content-range')?.startsWith(`bytes ${have}-`)) have = 0;
      if (status === 206 && have === 0) throw new Error('the service answered with another part of the file');
      etag = headers.get('etag');
      if (have < length) ftruncateSync(output, have);
      length = have;
      requireRoom(file, Number(headers.get('content-length') ?? 0));
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
        restartTimer();
        if (have + piece.length > limit)
          throw new Permanent(`the service sends more than the ${limit} bytes that were announced`);
        write(piece, have);
        have += piece.length;
        length = have;
      }
    } finally {
      clearTimeout(timer);
      // Closes the connection of an answer that was not read to its end.
      silence.abort();
    }
  };

  try {
    let idle = 0;
    for (let tries = 1; ; tries += 1) {
      const before = have;
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof Permanent || error instanceof UsageError) throw error;
        idle = have > before ? 0 : idle + 1;
        if (idle >= MAX_IDLE_TRIES || tries >= MAX_TRIES)
          throw new Error(`${reasonOf(error)} (tried ${tries} times)`, { cause: error });
        await pause(Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** idle));
      }
    }
  } finally {
    closeSync(output);
  }
}

/** The exit code is 1 for any failure, with the reason on stderr. */
export async function runFetch([url, file]: string[]): Promise<number> {
  try {
    if (!url || !file || !URL.canParse(url)) throw new Error('needs an address and a file: fetch URL FILE');
    await download(url, file);
    return 0;
  } catch (error) {
    process.stderr.write(`muster-agent fetch: ${(error as Error).message}\n`);
    return 1;
  }
}
