// A throw-away spool for tests, and waiting for what will happen without guessing when.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobFolder, JobOrder } from './job-folder.ts';
import { Spool } from './spool.ts';

export interface TestFolder {
  data: string;
  spool: Spool;
  /** Accepts a job with this command. */
  accept(command: string, order?: Partial<JobOrder>): JobFolder;
  remove(): void;
}

let jobs = 0;

export function testFolder(): TestFolder {
  const data = mkdtempSync(path.join(tmpdir(), 'muster-agent-'));
  const spool = new Spool(data);
  return {
    data,
    spool,
    accept: (command, order) =>
      spool.accept({
        job: `test-${process.pid}-${++jobs}`,
        command,
        timeLimitSeconds: 60,
        outputLimit: 1_000_000,
        ...order,
      }),
    remove: () => rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

/** What is in the job's file. */
export const textOf = (folder: JobFolder, name: string): string => readFileSync(folder.file(name), 'utf8');

/** Waits until the probe gives something, and says what was missing if it never does. */
export async function until<T>(what: string, probe: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await sleep(10);
  }
}

/** Processes whose command line holds this text, not counting zombies (theirs is empty). */
export const running = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
