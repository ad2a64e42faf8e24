// Writes that survive a power failure. Running a job at most once depends on them.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Makes the names in a folder durable, which the fsync of a file does not do. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes a file atomically. */
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

/** Appends a line and flushes it, with the file's name if it is new. */
export function appendDurably(file: string, line: string): void {
  const isNew = !existsSync(file);
  const handle = openSync(file, 'a', 0o600);
  try {
    writeSync(handle, `${line}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (isNew) syncFolder(path.dirname(file));
}

/** Whether the disk or the user's quota is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) ||
    // Errors of child programs have only a text.
    /No space left on device|Disk quota exceeded/.test(error.message));

/** Describes a failure in this folder for users who look at the job. */
export const describeFault = (error: unknown, folder: string): string =>
  isDiskFull(error)
    ? `Disk full on the device: no space in ${folder}.`
    : (error as Error).message || `The device gave no reason for a failure in ${folder}.`;

/** Removes a folder even if its owner may not write to everything in it. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    spawnSync('chmod', ['-R', 'u+rwx', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}
