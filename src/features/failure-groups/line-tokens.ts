// Splits a log line into words and into parts that vary between devices without changing the meaning: numbers, ids,
// addresses, paths, times, the device's own name. Two lines with the same key mean the same.

export type Varying = 'name' | 'time' | 'address' | 'id' | 'path' | 'number';

export interface Token {
  text: string;
  /** Set on a part that varies between devices. */
  varies?: Varying;
  /** Whether a space precedes it. */
  spaced: boolean;
}

const DATE = String.raw`\d{4}[-/]\d\d[-/]\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}`;
const CLOCK = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?\b`;
const SYSLOG = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}(?:,?\s+\d{4},?)?`;
const TIME = `(?:(?:${DATE}|${SYSLOG})(?:T|,?\\s+)(?:${CLOCK})|${DATE}|${CLOCK})`;
/** A prefix of log lines: a time, or the kernel's seconds since boot. */
const STAMP = new RegExp(`^\\s*[\\[(<]?\\s*(?:${TIME}|(?<=\\[\\s*)\\d+\\.\\d+)\\s*[\\])>]?[\\s,:|-]*`, 'i');
/**
 * A shell prints its position before the error: "./update.sh: line 12: ", "sh: 1: ", "zsh:1: ", with the word for a
 * line in the language of the device. The position differs between versions of a script.
 */
const SHELL = /^[^\s:]{1,160}:\s?(?:\p{L}{2,12}\s)?\d{1,6}\s?: (?=\S)/u;

const INNER = String.raw`[\p{L}\p{N}_.@%+~=-]`;
/** Short hexadecimal values; "E12" and "b2" are names. */
const HEX = String.raw`\b(?![a-f]\d{1,2}\b)(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{2,6}\b`;
/** Numbers of parts: "700-1234-AB", "SN4711A2". Names of standards and error codes do not vary. */
const SEGMENT = String.raw`(?:[a-z]{0,3}\d{1,8}[a-z]{0,2}|[a-z]{1,3})`;
const PART =
  String.raw`\b(?!(?:sha|utf|iso|cve|rfc|aes|err|e|x)[-\d])` +
  String.raw`(?:(?=(?:[a-z-]*\d){3})(?=[\d-]*[a-z])${SEGMENT}(?:-${SEGMENT}){1,4}|[a-z]{0,4}\d{2,}[a-z]{1,3}\d[a-z\d]{0,8})\b`;
/** Amounts of time in one token: "30s", "1m30s", "1 second", "5 minutes". */
const SPAN =
  String.raw`\d+(?:[.,]\d+)?` +
  String.raw`(?:(?:[dhm]\d+){0,3}(?:\.\d+)?(?:d|h|m|min|s|secs?|ms|us|µs|ns)\b|\s(?:second|minute|hour|day)s?\b)`;

const TOKEN = new RegExp(
  [
    String.raw`(?<address>\b[a-z][a-z0-9+.-]{1,11}://[^\s"'<>)\]]+` +
      String.raw`|\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b` +
      String.raw`|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?\b` +
      String.raw`|(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})\b|(?<![\w:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?)`,
    `(?<time>\\b${TIME})`,
    String.raw`(?<id>\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b0x[0-9a-f]+\b` +
      String.raw`|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{20,}\b|${PART})`,
    `(?<path>(?<![\\p{L}\\p{N}_/.])(?:~|\\.{1,2})?(?:/${INNER}+)+/?|\\b[a-z]:\\\\[^\\s"'<>|]+` +
      `|(?<![\\p{L}\\p{N}_/.-])(?:${INNER}+/){2,}${INNER}*|(?<![\\p{L}\\p{N}_/.-])(?:${INNER}+/)+${INNER}+\\.[a-z]\\w{0,5}\\b)`,
    `(?<span>${SPAN})`,
    `(?<hex>${HEX})`,
    String.raw`(?<number>\d+(?:[.,:]\d+)*)`,
    String.raw`(?<word>[\p{L}\p{M}_]+(?:['’-](?=\p{L})[\p{L}\p{M}_]+)*)`,
    String.raw`[^\s]`,
  ].join('|'),
  'giu',
);

/** Numbers behind these words are not amounts but distinguish errors: "returned error: 404". */
const CODE = /^(?:error|err|errno|code|status|exit|exited|signal|http|returned|rc|result)$/i;

/** What follows an amount: "error: 12 bytes left". */
const UNIT = /^\s?(?:%|°|(?:[kmgt]i?)?b\b|bytes?\b|(?:m|u|n)?s\b|of\b|files?\b|times\b)/i;

function isCode(tokens: readonly Token[], text: string, after: string): boolean {
  if (!/^\d{1,3}$/.test(text) || UNIT.test(after)) return false;
  let at = tokens.length - 1;
  while (at >= 0 && tokens.length - at <= 2 && /^[:=#([]$/.test(tokens[at]?.text ?? '')) at--;
  if (CODE.test(tokens[at]?.text ?? '')) return true;
  // "HTTP/1.1 404"
  return tokens[at - 1]?.text === '/' && CODE.test(tokens[at - 2]?.text ?? '');
}

/** Words before a checksum, which may consist of letters only: "crc beef". */
const SUM = /^(?:crc\d*|checksum|digest|hash|commit)$/i;

function isSum(tokens: readonly Token[], text: string): boolean {
  if (!/^(?:[\da-f]{2}){1,4}$/i.test(text)) return false;
  const before = tokens.findLast((token) => /\p{L}/u.test(token.text) && !token.varies);
  return before !== undefined && SUM.test(before.text) && tokens.indexOf(before) >= tokens.length - 2;
}

const KINDS = ['address', 'time', 'id', 'path', 'number'] as const;

function kindIn(groups: RegExpExecArray['groups'] = {}): Varying | undefined {
  if (groups['span']) return 'number';
  if (groups['hex']) return 'id';
  return KINDS.find((each) => groups[each]);
}

/** Adds the tokens of a text that contains none of the names. */
function addTokens(tokens: Token[], text: string, spaced: boolean): void {
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    let [found] = match;
    const { address, path, number } = match.groups ?? {};
    // A full stop ends the sentence, not the path.
    if ((path || address) && found.length > 2 && /[.,;:]$/.test(found)) {
      found = found.slice(0, -1);
      TOKEN.lastIndex--;
    }
    const kind = kindIn(match.groups) ?? (isSum(tokens, found) ? 'id' : undefined);
    const varies =
      number && isCode(tokens, found, text.slice(match.index + found.length, TOKEN.lastIndex + 12)) ? undefined : kind;
    tokens.push({ text: found, spaced: match.index > end || (end === 0 && spaced), ...(varies && { varies }) });
    end = match.index + found.length;
  }
}

const LEAST_NAME = 3;
const inWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

/** Finds one of the names in the text, as a separate word. */
function findName(text: string, names: readonly string[], from: number): { at: number; length: number } | undefined {
  const lower = text.toLowerCase();
  for (const name of names) {
    if (name.length < LEAST_NAME) continue;
    for (let at = lower.indexOf(name, from); at >= 0; at = lower.indexOf(name, at + 1))
      if (!inWord(text[at - 1]) && !inWord(text[at + name.length])) return { at, length: name.length };
  }
  return undefined;
}

/** The line without prefixes: times, and the position of the shell. */
export function bareLine(line: string): string {
  const first = line.replace(STAMP, '');
  return first.replace(STAMP, '').replace(SHELL, '').trim() || line.trim();
}

/** `names`: the names of the device in lower case. */
export function tokensOf(line: string, names: readonly string[] = []): Token[] {
  const tokens: Token[] = [];
  let from = 0;
  for (let name = findName(line, names, 0); name; name = findName(line, names, from)) {
    const before = line.slice(from, name.at);
    addTokens(tokens, before, /^\s/.test(before));
    tokens.push({
      text: line.slice(name.at, name.at + name.length),
      varies: 'name',
      spaced: /\s$/.test(before),
    });
    from = name.at + name.length;
  }
  const rest = line.slice(from);
  addTokens(tokens, rest, /^\s/.test(rest));
  return tokens;
}

/** The kind of token for comparison: a hexadecimal value may happen to have digits only. */
export const kindOf = ({ varies }: Token): Varying | undefined => (varies === 'id' ? 'number' : varies);

/** Equal for two lines with the same meaning. Letter case counts: languages differ in what it means. */
export const keyOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => `${token.spaced ? ' ' : ''}${token.varies ? `\u0000${kindOf(token)}` : token.text}`).join('');
