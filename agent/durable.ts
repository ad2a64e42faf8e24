// Writing so that it is still there after the power went: the whole promise of "at most once" rests on these lines.
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Makes the names in a folder durable; a file's own fsync does not cover its name. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Puts a whole file in place, or none of it. */
export function writeDurably(file: string, text: string | Buffer, mode = 0o600): void {
  const draft = `${file}.${process.pid}.tmp`;
  const handle = openSync(draft, 'w', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  syncFolder(path.dirname(file));
}

/** Adds a line and flushes it. */
export function appendDurably(file: string, line: string): void {
  const handle = openSync(file, 'a', 0o600);
  try {
    writeSync(handle, `${line}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whether an error says that there is no space left, on the disk or in what this user may use of it. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) ||
    // Of a program that was called, the words are all there is.
    /No space left on device|Disk quota exceeded/.test(error.message));

/** What went wrong with a file in this folder, for the person who looks at the job. */
export const faultWords = (error: unknown, folder: string): string =>
  isDiskFull(error)
    ? `Disk full on the device: no space in ${folder}.`
    : (error as Error).message || `The device gave no reason for a failure in ${folder}.`;

/** Removes a folder, also where something in it may not even be written to by its owner. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    spawnSync('chmod', ['-R', 'u+rwx', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}
