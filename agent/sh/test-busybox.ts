// A machine with the programs of BusyBox alone, and curl, as far as PATH goes.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** Runs a test that needs a program, or says that it cannot be run here: a test that skips itself would count as failed. */
export function testWith(program: string, name: string, run: (file: string) => Promise<void> | void): void {
  const file = find(program);
  if (file !== undefined) void test(name, () => run(file));
  else console.log(`Left out, because ${program} is not installed ("apt install ${program}"): ${name}`);
}

/** The file of a program on PATH. */
export const find = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file));

/** The PATH of that machine, made in `base`. */
export function busyBoxPath(busybox: string, base: string): string {
  const folder = path.join(base, 'busybox');
  mkdirSync(folder, { recursive: true });
  execFileSync(busybox, ['--install', '-s', folder]);
  // Its own wget is no client for the link, and its crontab would change the machine's.
  for (const name of ['wget', 'crontab']) rmSync(path.join(folder, name), { force: true });
  symlinkSync(find('curl') ?? '', path.join(folder, 'curl'));
  return folder;
}
