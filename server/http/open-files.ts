// The limit of open files and connections. The last few are reserved for answers: a client that connects then gets an
// error, where the system would only break the connection.
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { problemOf } from './problem.ts';
import type { Problem } from './problem.ts';
import { logFault } from '../store/system-fault.ts';

/** For refusals, the database and the files of running requests. */
const RESERVED_FILES = 24;

/** Undefined where the system does not report it. */
function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

const LIMIT = openFilesLimit();

/** Refuses a connection whose file descriptor, the lowest free number, is one of the last few. */
export function tooManyOpen(socket: Duplex): Problem | undefined {
  const { fd } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
  if (LIMIT === undefined || fd === undefined || fd < LIMIT - RESERVED_FILES) return undefined;
  const fault = Object.assign(new Error(`${fd} of ${LIMIT} are open`), { code: 'EMFILE' });
  logFault('http', fault);
  return problemOf(fault);
}
