// A temporary spool for tests.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JobFolder, JobRequest } from './job-folder.ts';
import { Spool } from './spool.ts';

export interface TestFolder {
  data: string;
  spool: Spool;
  accept(command: string, request?: Partial<JobRequest>): JobFolder;
  remove(): void;
}

let jobs = 0;

export function testFolder(): TestFolder {
  const data = mkdtempSync(path.join(tmpdir(), 'muster-agent-'));
  const spool = new Spool(data);
  return {
    data,
    spool,
    accept: (command, request) =>
      spool.accept({
        job: `test-${process.pid}-${++jobs}`,
        command,
        timeLimitSeconds: 60,
        outputLimit: 1_000_000,
        ...request,
      }),
    remove: () => rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

/** Content of the job's file. */
export const textOf = (folder: JobFolder, name: string): string => readFileSync(folder.file(name), 'utf8');

/** Processes whose command line contains this text, without zombies (theirs is empty). */
export const running = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
