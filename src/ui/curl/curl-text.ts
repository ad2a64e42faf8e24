// A request as a curl command to paste into a shell. Its values may come from anyone, such as the name of a device or file,
// so each is quoted and none can act on the terminal.

export interface CurlRequest {
  /** The origin, if it is not that of the page. */
  base?: string | undefined;
  method: string;
  /** Path and query, encoded. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Fields that are sent as multipart/form-data, together with the file. */
  form?: Record<string, string | undefined>;
  /** The name of the file that is sent as the part `file`. */
  file?: string;
}

// C0 and C1 controls, which a terminal obeys; line and paragraph separators; direction marks, which fool a reader.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;
const ALL_UNSAFE = new RegExp(UNSAFE, 'gu');

const octal = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/**
 * One word of a POSIX shell; with unsafe characters, one of bash, zsh or ksh, which can escape them. There "!" is escaped
 * too, because an interactive bash expands it outside plain quotes.
 */
export function shellQuoted(text: string): string {
  if (!UNSAFE.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${text.replaceAll('\\', '\\\\').replaceAll(/['!]/g, octal).replaceAll(ALL_UNSAFE, octal)}'`;
}

/** JSON with unsafe characters as \u… escapes, which leaves the value the same. */
const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(ALL_UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A file name as curl reads it in quotes: backslashes escape quotes and backslashes (curl(1), "--form"). */
const inQuotes = (name: string) => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The command. It takes the token from the variable TOKEN. */
export function curlText({ method, path, body, form, file }: CurlRequest, origin: string): string {
  const words = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
  ];
  if (body !== undefined) words.push(`-H 'content-type: application/json'`, `--data-raw ${shellQuoted(json(body))}`);
  // Not --form, which reads a file if the value begins with "@" or "<".
  for (const [name, value] of Object.entries(form ?? {}))
    if (value !== undefined) words.push(`--form-string ${shellQuoted(`${name}=${value}`)}`);
  if (file !== undefined) words.push(`-F ${shellQuoted(`file=@${inQuotes(file)}`)}`);
  return words.join(' \\\n  ');
}
