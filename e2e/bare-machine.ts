// A machine to install agents on, as far as its tools go: one without systemd and without a crontab, whatever this one has.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A PATH on which both are there, and of no use. */
export async function bareMachine(folder: string): Promise<string> {
  await writeFile(path.join(folder, 'systemctl'), '#!/bin/sh\necho offline\nexit 1\n', { mode: 0o755 });
  await writeFile(path.join(folder, 'crontab'), '#!/bin/sh\necho not allowed >&2\nexit 1\n', { mode: 0o755 });
  return `${folder}${path.delimiter}${process.env['PATH']}`;
}
