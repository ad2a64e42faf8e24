// Looks for the marks of rules in the output of one job: colours taken out, line by line, the worst mark first. Runs in a
// worker, since a pattern may take as long as it likes.
import { withoutEscapes } from '#/ui/log/without-ansi.ts';
import { RULED, sameRule, type Found, type Reading, type Rule } from '#/features/jobs/rule.ts';

export interface MarkedStream {
  name: string;
  text: string;
}

/** Our service leaves out the beginning of a long output in a list, and notes that in the first line. */
const CUT = /^\[\w+\] \d+ bytes left out here/;
const EXCERPT = 160;

/** A pattern, or in words why it is none. */
export function rulePatternOf({ find, caseSensitive }: Pick<Rule, 'find' | 'caseSensitive'>): RegExp | string {
  try {
    return new RegExp(find, caseSensitive ? '' : 'i');
  } catch (error) {
    // "Invalid regular expression: /(/: Unterminated group" and the like.
    const message = error instanceof Error ? error.message : '';
    const [, reason = message] = /^Invalid regular expression: .*\/[a-z]*: (.+)$/s.exec(message) ?? [];
    return `it is no pattern (${reason.charAt(0).toLowerCase()}${reason.slice(1)})`;
  }
}

/** A stream with its colours out, in small letters where that is asked for. */
class Readable {
  readonly name: string;
  readonly text: string;
  readonly cut: boolean;
  private lower: string | undefined;

  constructor({ name, text }: MarkedStream) {
    this.name = name;
    this.text = withoutEscapes(text);
    this.cut = CUT.test(this.text);
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
  const pattern = rule.pattern ? rulePatternOf(rule) : undefined;
  if (typeof pattern === 'string') return pattern;
  for (const stream of streams) {
    // Where a service does not keep the streams apart, "output" is both.
    if (rule.stream !== 'both' && stream.name !== rule.stream && stream.name !== 'output') continue;
    const number = pattern ? stream.lineLike(pattern) : stream.lineWith(rule.find, rule.caseSensitive);
    if (number === -1) continue;
    const line = stream.line(number);
    const at = pattern ? line.search(pattern) : line.toLowerCase().indexOf(rule.find.toLowerCase());
    return {
      rule,
      position: stream.cut ? undefined : { stream: stream.name, line: number + 1 },
      text: around(line, Math.max(0, at)),
    };
  }
  return undefined;
}

const rankOf = ({ verdict }: Rule) => RULED.indexOf(verdict);

export interface ReadHow {
  /** Patterns that took too long before: they are not tried again. */
  slow?: readonly Rule[];
  /** Called before each pattern, which may never return. */
  before?: (rule: Rule) => void;
}

export function readMarks(
  streams: readonly MarkedStream[],
  rules: readonly Rule[],
  { slow = [], before }: ReadHow = {},
): Reading {
  const readable = streams.map((stream) => new Readable(stream));
  let untried: Reading['untried'];
  for (const rule of rules.toSorted((one, two) => rankOf(one) - rankOf(two))) {
    const tooSlow = slow.some((each) => sameRule(each, rule));
    if (rule.pattern && !tooSlow) before?.(rule);
    const found = tooSlow ? 'it takes too long on this output' : look(rule, readable);
    if (typeof found === 'string') untried ??= { rule, why: found };
    // What could not be tried counts only where its verdict would be worse.
    else if (found) return { found, untried: untried && rankOf(untried.rule) < rankOf(rule) ? untried : undefined };
  }
  return { found: undefined, untried };
}
