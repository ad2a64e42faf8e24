// The log of the service: one line per event, as text or as JSON (LOG_FORMAT). Input from outside cannot start a new
// line or move the cursor, and secrets are replaced.

import pino from 'pino';
import { MADE_SECRET } from '#/contract/mask-secrets.ts';

type Level = 'info' | 'warn' | 'error';
export type LogFields = Record<string, string | number | boolean | undefined>;
export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';
/** Applies to the whole process. */
export const setLogFormat = (chosen: LogFormat): void => void (format = chosen);

// Control characters, line and paragraph separators, and characters that change the text direction.
// oxlint-disable-next-line no-control-regex -- these are escaped
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const MAX_TEXT = 2_000;
const clean = (text: string) =>
  (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)
    .replace(MADE_SECRET, '$1_…')
    .replace(UNPRINTABLE, escaped);

/** An error with its stack, each line indented: only events start at the margin. */
const stackOf = (cause: unknown) =>
  (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
    .split('\n')
    .slice(0, 40)
    .map((line, index) => (index === 0 ? clean(line) : `    ${clean(line.trim())}`));

/** `name="a value"`, without quotes if they are not needed. */
const pair = ([name, value]: [string, unknown]) => {
  const text = String(value);
  return /^[\w./:@%+-]+$/.test(text) ? `${name}=${text}` : `${name}="${text.replaceAll('"', '\\"')}"`;
};

/** An event as people read it. */
function textOf(line: string): string {
  const event = JSON.parse(line) as { time: string; level: Level; message: string; error?: string };
  const { time: _time, level: _level, message, error, ...fields } = event;
  const text = [message, ...Object.entries(fields).map(pair)].join(' ');
  return error === undefined ? text : [`${text}:`, ...error.split('\n')].join('\n    ');
}

const INFO = pino.levels.values['info'] ?? 0;
/** The console ignores a reader that went away; written to, the streams themselves would end the process. */
const destination = {
  [pino.symbols.needsMetadataGsym]: true,
  lastLevel: INFO,
  write(line: string) {
    const print = this.lastLevel > INFO ? console.error : console.log;
    print(format === 'json' ? line.trimEnd() : textOf(line));
  },
};
const logger = pino(
  {
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
  },
  destination,
);

/** Applies to the whole process: leaves out what only reports that all is well. */
export const logWarningsOnly = (): void => void (logger.level = 'warn');

/** Texts are cleaned before they become JSON: an escape like \n in front of a secret would hide where it begins. */
function write(level: Level, message: string, fields: LogFields, cause?: unknown): void {
  const event: LogFields = {};
  for (const [name, value] of Object.entries(fields)) event[name] = typeof value === 'string' ? clean(value) : value;
  if (cause !== undefined) event['error'] = stackOf(cause).join('\n');
  logger[level](event, clean(message));
}

export const log = {
  info: (message: string, fields: LogFields = {}) => write('info', message, fields),
  warn: (message: string, fields: LogFields = {}) => write('warn', message, fields),
  /** `cause`: the error, logged with its stack. */
  error: (message: string, cause?: unknown, fields: LogFields = {}) => write('error', message, fields, cause),
  /**
   * In a text log, these lines, which may show a secret once. In a JSON log, an event without that, and one for each
   * line that begins with "Note:".
   */
  notice: (lines: string[], message: string, fields: LogFields = {}) => {
    if (format === 'text') return console.log(lines.join('\n'));
    write('info', message, fields);
    for (const line of lines) if (line.startsWith('Note: ')) write('warn', line.replace(/^Note: +/, ''), {});
  },
};

/** After this long the same event is logged again. */
const QUIET_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const throttled = new Map<string, { at: number; left: number }>();

/** One line for all events of a kind, at most once a minute, with the number of events in between. */
export function logThrottled(kind: string, level: Level, message: string, fields: LogFields = {}): void {
  const now = performance.now();
  const before = throttled.get(kind);
  if (before && now - before.at < QUIET_MS) {
    before.left += 1;
    return;
  }
  throttled.delete(kind);
  throttled.set(kind, { at: now, left: 0 });
  const [oldest] = throttled.keys();
  if (throttled.size > MAX_REMEMBERED && oldest !== undefined) throttled.delete(oldest);
  write(level, message, { ...fields, more: before && before.left > 0 ? before.left : undefined });
}
