// Looks for the marks of rules in the output of one job: colours taken out, line by line, the worst mark first. Runs in a
// worker, since a pattern may take as long as it likes.
import { RULE_VERDICTS, rulePattern, type Rule } from '#/contract/rules.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';

export interface MarkedStream {
  name: string;
  text: string;
}

/** A mark that was found, in the first line that has it. */
export interface Found {
  rule: Rule;
  stream: string;
  /** From 1. */
  line: number;
  /** Shortened around the mark. */
  text: string;
}

/** What the rules found in the output of one job. */
export interface Reading {
  /** The worst mark. */
  found: Found | undefined;
  /** A rule that could not be tried, and why: its absence must not pass for a success. */
  untried: { rule: Rule; why: string } | undefined;
}

const EXCERPT = 160;

/** A stream with its colours out, in small letters where that is asked for. */
class Readable {
  readonly name: string;
  readonly text: string;
  private lower: string | undefined;

  constructor({ name, text }: MarkedStream) {
    this.name = name;
    this.text = withoutEscapes(text);
  }

  /** Number of the first line that has this text, from 0; -1 where none has. */
  lineWith(find: string, caseSensitive: boolean): number {
    const hay = caseSensitive ? this.text : (this.lower ??= this.text.toLowerCase());
    const hit = hay.indexOf(caseSensitive ? find : find.toLowerCase());
    if (hit === -1) return -1;
    let line = 0;
    for (let at = hay.indexOf('\n'); at !== -1 && at < hit; at = hay.indexOf('\n', at + 1)) line++;
    return line;
  }

  /** The same for a pattern. A line that was rewritten with carriage returns is looked at as it was each time. */
  lineLike(pattern: RegExp): number {
    let line = 0;
    for (let at = 0; at <= this.text.length; line++) {
      const newline = this.text.indexOf('\n', at);
      const end = newline === -1 ? this.text.length : newline;
      const text = this.text.slice(at, end);
      if (
        text.includes('\r')
          ? text
              .replace(/\r$/, '')
              .split('\r')
              .some((part) => pattern.test(part))
          : pattern.test(text)
      )
        return line;
      at = end + 1;
    }
    return -1;
  }

  line(number: number): string {
    let at = 0;
    for (let skipped = 0; skipped < number; skipped++) at = this.text.indexOf('\n', at) + 1;
    const end = this.text.indexOf('\n', at);
    return this.text.slice(at, end === -1 ? undefined : end).replace(/\r$/, '');
  }
}

/** The part of a line that shows the mark. */
function around(line: string, at: number): string {
  if (line.length <= EXCERPT) return line;
  const start = Math.max(0, Math.min(at - 40, line.length - EXCERPT));
  const end = start + EXCERPT;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

function look(rule: Rule, streams: readonly Readable[]): Found | string | undefined {
  const pattern = rule.Pattern ? rulePattern(rule) : undefined;
  if (typeof pattern === 'string') return pattern;
  for (const stream of streams) {
    if (rule.Stream !== 'both' && stream.name !== rule.Stream) continue;
    const number = pattern ? stream.lineLike(pattern) : stream.lineWith(rule.Find, rule.CaseSensitive);
    if (number === -1) continue;
    const line = stream.line(number);
    const at = pattern ? line.search(pattern) : line.toLowerCase().indexOf(rule.Find.toLowerCase());
    return { rule, stream: stream.name, line: number + 1, text: around(line, Math.max(0, at)) };
  }
  return undefined;
}

const rankOf = ({ Verdict }: Rule) => RULE_VERDICTS.indexOf(Verdict);

export interface ReadHow {
  /** Indices of patterns that took too long before: they are not tried again. */
  slow?: readonly number[];
  /** Called before each pattern, which may never return. */
  before?: (index: number) => void;
}

export function readMarks(
  streams: readonly MarkedStream[],
  rules: readonly Rule[],
  { slow = [], before }: ReadHow = {},
): Reading {
  const readable = streams.map((stream) => new Readable(stream));
  let untried: Reading['untried'];
  const worstFirst = rules.map((rule, index) => ({ rule, index })).toSorted((a, b) => rankOf(a.rule) - rankOf(b.rule));
  for (const { rule, index } of worstFirst) {
    const isSlow = slow.includes(index);
    if (rule.Pattern && !isSlow) before?.(index);
    const found = isSlow ? 'it takes too long on this output' : look(rule, readable);
    if (typeof found === 'string') untried ??= { rule, why: found };
    // What could not be tried counts only where its verdict would be worse.
    else if (found) return { found, untried: untried && rankOf(untried.rule) < rankOf(rule) ? untried : undefined };
  }
  return { found: undefined, untried };
}
