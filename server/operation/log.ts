// The log of the service: one line an event, as text for a person or as JSON for a program (LOG_FORMAT). What comes from
// outside cannot start a line of its own or move a cursor, and nothing that looks like one of our secrets gets in.

type Level = 'info' | 'warn' | 'error';
export type LogFields = Record<string, string | number | boolean | undefined>;
export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';
/** Of the process: one service speaks for it. */
export const setLogFormat = (chosen: LogFormat): void => void (format = chosen);

/** Tokens, device keys, values of sessions and sign-in codes (ids.ts). */
const SECRET = /\b(mu[tsc]|mdk)_[\w-]{8,}/g;
// Control characters, line and paragraph separators, and those that turn the direction of what follows.
// oxlint-disable-next-line no-control-regex -- these are what is written out
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const MOST_TEXT = 2_000;

const clean = (text: string, most = MOST_TEXT) =>
  (text.length > most ? `${text.slice(0, most)}…` : text).replace(SECRET, '$1_…').replace(UNSEEN, escaped);

/** `name="a value"`, without quotes where none are needed. */
const pair = ([name, value]: [string, unknown]) => {
  const text = clean(String(value));
  return /^[\w./:@%+-]+$/.test(text) ? `${name}=${text}` : `${name}="${text.replaceAll('"', '\\"')}"`;
};

/** An error with its stack, each line of it indented: only an event begins at the margin. */
const stackOf = (cause: unknown) =>
  (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
    .split('\n')
    .slice(0, 40)
    .map((line, index) => (index === 0 ? clean(line) : `    ${clean(line.trim())}`));

function write(level: Level, message: string, fields: LogFields, cause?: unknown): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const print = level === 'info' ? console.log : console.error;
  if (format === 'text') {
    const line = [clean(message), ...given.map(pair)].join(' ');
    print(cause === undefined ? line : [`${line}:`, ...stackOf(cause)].join('\n    '));
    return;
  }
  const values = given.map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? clean(value) : value,
  ]);
  const event: Record<string, unknown> = {
    time: new Date().toISOString(),
    level,
    message: clean(message),
    ...Object.fromEntries(values),
    ...(cause !== undefined && { error: stackOf(cause).join('\n') }),
  };
  // What JSON leaves as it is (U+007F to U+009F, U+2028) is cleaned above; the rest it escapes.
  print(JSON.stringify(event));
}

export const log = {
  info: (message: string, fields: LogFields = {}) => write('info', message, fields),
  warn: (message: string, fields: LogFields = {}) => write('warn', message, fields),
  /** `cause`: what was thrown, with its stack. */
  error: (message: string, cause?: unknown, fields: LogFields = {}) => write('error', message, fields, cause),
  /**
   * For a person as these lines, which may hold what is shown once; for a program as an event without that, and one for
   * each line that begins with "Note:".
   */
  notice: (lines: string[], message: string, fields: LogFields = {}) => {
    if (format === 'text') return console.log(lines.join('\n'));
    write('info', message, fields);
    for (const line of lines) if (line.startsWith('Note: ')) write('warn', line.replace(/^Note: +/, ''), {});
  },
};

/** The same is logged again after this long. */
const QUIET_MS = 60_000;
const MOST_REMEMBERED = 1_000;
const seldom = new Map<string, { at: number; left: number }>();

/** One line for all events of a kind, at most once a minute, with the number of those in between. */
export function logSeldom(kind: string, level: Level, message: string, fields: LogFields = {}): void {
  const now = performance.now();
  const before = seldom.get(kind);
  if (before && now - before.at < QUIET_MS) {
    before.left += 1;
    return;
  }
  seldom.delete(kind);
  seldom.set(kind, { at: now, left: 0 });
  const [oldest] = seldom.keys();
  if (seldom.size > MOST_REMEMBERED && oldest !== undefined) seldom.delete(oldest);
  write(level, message, { ...fields, more: before && before.left > 0 ? before.left : undefined });
}
