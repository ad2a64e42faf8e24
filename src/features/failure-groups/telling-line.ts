// Finds the line of a log that names the cause, often not the last one, because later lines are consequences.
import { bareLine } from './line-tokens.ts';
import { plainLines } from './plain-lines.ts';

/** Error messages of operating systems (POSIX errno, strerror), and equally specific ones of programs. */
export const CAUSES: RegExp = new RegExp(
  [
    'no space left on device|disk quota exceeded|read-only file system|no such file or directory|no such device',
    'permission denied|operation not permitted|file exists|not a directory|is a directory|directory not empty',
    'too many open files|argument list too long|text file busy|exec format error|broken pipe|resource busy',
    'device or resource busy|input/output error|cannot allocate memory|out of memory|segmentation fault|bus error',
    'connection (?:refused|reset by peer|timed out)|network is unreachable|no route to host|host is down',
    'temporary failure in name resolution|name or service not known|could not resolve host|operation timed out',
    'command not found|not found|undefined symbol|cannot open shared object file|syntax error|unexpected eof',
    'checksum (?:mismatch|failed)|hash mismatch|signature (?:verification failed|mismatch)|bad signature',
    'certificate (?:has expired|verify failed)|unexpected end of file|not in gzip format|unbound variable',
    'illegal instruction|stale file handle|too many levels of symbolic links|invalid argument|killed|core dumped',
  ].join('|'),
  'i',
);
const NAMED = /\b[A-Z]\w*(?:Error|Exception)\b|^panic:|\bE(?:ACCES|NOENT|NOSPC|PERM|CONNREFUSED|TIMEDOUT|IO|EXIST)\b/;
const WORDS =
  /\b(?:error|fatal|failed|failure|fail|fails|exception|panic|cannot|can['’]t|couldn['’]t|could not|unable|denied|refused|unreachable|invalid|corrupt(?:ed)?|mismatch|missing|unsupported|expired|rejected|critical|timed? ?out|timeout|aborted|unexpected|wrong|rolled back|rolling back|assertion)\b/i;
/** Lines that only repeat an earlier failure, which count for less. */
const FOLLOWS =
  /\b(?:exit(?:ing|ed)?(?: with)?(?: (?:status|code|failure))|exit status|due to previous errors|complete log of this run|returned non-zero|aborting|giving up|error \d+$|see above|for details)\b|^(?:(?:error|fatal|failed|failure)[.! ]*|\w+ failed[.!]?)$|^make(?:\[\d+\])?: \*\*\*|^npm (?:err|error)!? *$/i;

/** How many lines at the end of a stream are searched. */
const MAX_LINES = 60;

function weightOf(line: string): number {
  const words = CAUSES.test(line) ? 10 : NAMED.test(line) ? 9 : WORDS.test(line) ? 6 : 0;
  return words > 0 && FOLLOWS.test(line) ? words - 4 : words;
}

/** Whether a line by itself reports an error. */
export const namesError = (line: string): boolean => weightOf(line) > 0;

interface Candidate {
  line: string;
  weight: number;
}

/** The line with the highest weight among the last ones; of equal lines the latest. */
function heaviest(lines: readonly string[]): Candidate | undefined {
  let best: Candidate | undefined;
  let passed = 0;
  for (let at = lines.length - 1; at >= 0 && passed < MAX_LINES; at--) {
    const line = bareLine(lines[at] ?? '');
    if (!/[\p{L}\p{N}]/u.test(line)) continue;
    // Lines nearer to the end weigh slightly more.
    const weight = weightOf(line) - passed / 20;
    if (!best || weight > best.weight) best = { line, weight };
    passed++;
  }
  return best;
}

export interface Output {
  stdout: string;
  stderr: string;
  /** The service's own reason for the end. */
  reason: string;
}

/** The line that explains the failure, without prefixes of shell and log; empty if nothing was printed. */
export function tellingLine({ stdout, stderr, reason }: Output): string {
  const error = heaviest(plainLines(stderr));
  // Errors belong on stderr, but if only stdout names an error, that one is taken.
  if (error && error.weight > 4) return error.line;
  const printed = heaviest(plainLines(stdout));
  const best = error && (!printed || error.weight + 1.5 >= printed.weight) ? error : printed;
  if (reason !== '' && (!best || best.weight < 4)) return bareLine(reason);
  return best?.line ?? '';
}
