// The files and connections that the process may have open at once. The last few are left for answering: whoever connects
// then is told so, where the system would only break the connection off.
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { Problem } from './problem.ts';
import { logFault, systemFault } from './system-fault.ts';

/** For refusals, the database and the files of requests that are under way. */
const SPARE = 24;

/** The most there may be; undefined where the system does not tell. */
function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

const LIMIT = openFilesLimit();

/** Why nothing is done for this connection: its number, the lowest that was free when it came, is one of the last few. */
export function tooManyOpen(socket: Duplex): Problem | undefined {
  const { fd } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
  if (LIMIT === undefined || fd === undefined || fd < LIMIT - SPARE) return undefined;
  const fault = systemFault(Object.assign(new Error(`${fd} of ${LIMIT} are open`), { code: 'EMFILE' }));
  logFault('http', fault);
  return fault;
}
