// A request as a command line for curl, to be pasted into a shell. Its values may come from anyone (the name of a
// device, of a file), so each is quoted, and none can act on the terminal.

export interface CurlRequest {
  /** Address before the path, when it is not the page's own. */
  base?: string | undefined;
  method: string;
  /** Path and query, encoded. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as multipart/form-data, together with the file. */
  form?: Record<string, string | undefined>;
  /** Name of the file that is sent as the part `file`. */
  file?: string;
}

// C0 and C1 controls, line and paragraph separators, and what turns the direction of text: a terminal obeys the first, a
// reader is fooled by the last. "!" is the history of an interactive bash, but not inside of plain quotes.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;
const ALL_UNSAFE = new RegExp(UNSAFE, 'gu');

const octal = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** One word of a POSIX shell; with control characters, one of bash, zsh or ksh, in which they are written out. */
export function shellQuoted(text: string): string {
  if (!UNSAFE.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${text.replaceAll('\\', '\\\\').replaceAll(/['!]/g, octal).replaceAll(ALL_UNSAFE, octal)}'`;
}

/** JSON in which what a terminal might obey is written as \u…: the same value in plain characters. */
const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(ALL_UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** curl reads a file's name in quotes, with backslashes before quotes and backslashes (curl(1), "--form"). */
const inQuotes = (name: string) => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The command. The token stays out: it is taken from the variable TOKEN. */
export function curlText({ method, path, body, form, file }: CurlRequest, origin: string): string {
  const words = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
  ];
  if (body !== undefined) words.push(`-H 'content-type: application/json'`, `--data-raw ${shellQuoted(json(body))}`);
  // Not --form: that takes a value which begins with "@" or "<" for the name of a file.
  for (const [name, value] of Object.entries(form ?? {}))
    if (value !== undefined) words.push(`--form-string ${shellQuoted(`${name}=${value}`)}`);
  if (file !== undefined) words.push(`-F ${shellQuoted(`file=@${inQuotes(file)}`)}`);
  return words.join(' \\\n  ');
}
