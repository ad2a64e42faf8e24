// Searches the output of one job for the marks of rules, line by line and without colors. Runs in a worker, with a
// budget of processor time for the patterns on one output.
import { RULE_VERDICTS, type Rule } from '#/contract/rules.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';
import { patternFault, patternOf, type Pattern } from './pattern.ts';

export interface MarkedStream {
  name: string;
  text: string;
}

/** A mark that was found, with the first line that contains it. */
export interface Found {
  rule: Rule;
  stream: string;
  /** Counted from 1. */
  line: number;
  /** An excerpt around the mark. */
  text: string;
}

/** A rule that was not fully tried, and why: the lack of its mark must not count as a success. */
export interface Untried {
  rule: Rule;
  why: string;
  /** Set if the rule cannot be tried on any output: what has to be done with it. */
  fate?: 'must be rewritten' | 'needs review';
}

/** What the rules found in the output of one job. */
export interface Reading {
  /** The worst mark. */
  found: Found | undefined;
  untried: Untried | undefined;
  /** The result of each rule that was tried, in the order of the rules. */
  each: (Found | Untried | undefined)[];
}

/** A rule as it judges: one that an earlier version read differently waits until a person has confirmed it. */
export type JudgingRule = Rule & { isInReview?: boolean };

const EXCERPT = 160;
/** Characters between two checks of the budget. */
const STRIDE = 4 * 1024;

export const TOO_SLOW = 'the patterns take too long on this output';
export const TOO_SLOW_BEFORE = 'it took too long on other outputs';

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** A stream without colors, with a lower-case copy for rules that ignore case. */
class Readable {
  readonly name: string;
  readonly text: string;
  private lower: string | undefined;

  constructor({ name, text }: MarkedStream) {
    this.name = name;
    this.text = withoutEscapes(text);
  }

  /** The number of the first line that contains this text, from 0; -1 if none does. */
  lineWith(find: string, caseSensitive: boolean): number {
    const haystack = caseSensitive ? this.text : (this.lower ??= this.text.toLowerCase());
    const hit = haystack.indexOf(caseSensitive ? find : find.toLowerCase());
    if (hit === -1) return -1;
    let line = 0;
    for (let at = haystack.indexOf('\n'); at !== -1 && at < hit; at = haystack.indexOf('\n', at + 1)) line++;
    return line;
  }

  /** The same for a pattern. A line that was overwritten with carriage returns is tested in each of its states. */
  lineLike(pattern: Pattern, checkBudget: () => void): number {
    let line = 0;
    let next = STRIDE;
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
      if (at < next) continue;
      checkBudget();
      next = at + STRIDE;
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

/** An excerpt of a line around the mark. */
function excerptOf(line: string, at: number): string {
  if (line.length <= EXCERPT) return line;
  const start = Math.max(0, Math.min(at - 40, line.length - EXCERPT));
  const end = start + EXCERPT;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

function tryRule(rule: Rule, streams: readonly Readable[], checkBudget: () => void): Found | Untried | undefined {
  const pattern = rule.Pattern ? patternOf(rule) : undefined;
  if (typeof pattern === 'string') return { rule, why: pattern, fate: 'must be rewritten' };
  for (const stream of streams) {
    if (rule.Stream !== 'both' && stream.name !== rule.Stream) continue;
    const number = pattern ? stream.lineLike(pattern, checkBudget) : stream.lineWith(rule.Find, rule.CaseSensitive);
    if (number === -1) continue;
    const line = stream.line(number);
    const at = pattern ? pattern.indexIn(line) : line.toLowerCase().indexOf(rule.Find.toLowerCase());
    return { rule, stream: stream.name, line: number + 1, text: excerptOf(line, Math.max(0, at)) };
  }
  return undefined;
}

/** Why a rule cannot be tried on any output. */
function blockOf(rule: JudgingRule): Untried | undefined {
  if (rule.isInReview) return { rule, why: 'this version reads its pattern differently', fate: 'needs review' };
  const why = patternFault(rule);
  return why === undefined ? undefined : { rule, why, fate: 'must be rewritten' };
}

const rankOf = ({ Verdict }: Rule) => RULE_VERDICTS.indexOf(Verdict);
const whyOf = (cause: unknown) => `it failed (${cause instanceof Error ? cause.message : String(cause)})`;

/** The reading of an output that could not be read at all. */
export function unread(rules: readonly Rule[], why: string): Reading {
  const each = rules.map((rule) => ({ rule, why }));
  return { found: undefined, untried: each[0], each };
}

export interface ReadHow {
  /** Indexes of patterns to skip, with the reason. */
  skip?: ReadonlyMap<number, string>;
  /** Milliseconds of processor time for all patterns on the output; see `spent`. */
  budgetMs?: number;
  /** Milliseconds of processor time that this thread has used. */
  spent?: () => number;
  /** Also tries rules that can no longer change the verdict. */
  all?: boolean;
  /** Called before each pattern, which may take longer than the budget on one line. */
  before?: (index: number) => void;
}

/**
 * Searches the output of one job for marks, the worst verdict first. Plain text is always searched; patterns share the
 * budget.
 */
export function readMarks(
  streams: readonly MarkedStream[],
  rules: readonly JudgingRule[],
  { skip = new Map(), budgetMs = Infinity, spent = () => performance.now(), all = false, before }: ReadHow = {},
): Reading {
  const readable = streams.map((stream) => new Readable(stream));
  const each: Reading['each'] = rules.map(() => undefined);
  const start = spent();
  const checkBudget = () => {
    if (spent() - start > budgetMs) throw new BudgetSpent();
  };
  let isSpent = false;
  const tryOne = (rule: JudgingRule, index: number): Found | Untried | undefined => {
    // Checked before the budget, because the fault does not depend on the output.
    const block = blockOf(rule);
    if (block) return block;
    const why = skip.get(index) ?? (rule.Pattern && isSpent ? TOO_SLOW : undefined);
    if (why !== undefined) return { rule, why };
    if (rule.Pattern) before?.(index);
    try {
      return tryRule(rule, readable, checkBudget);
    } catch (cause) {
      if (!(cause instanceof BudgetSpent)) return { rule, why: whyOf(cause) };
      isSpent = true;
      return { rule, why: TOO_SLOW };
    }
  };

  let found: Found | undefined;
  let untried: Untried | undefined;
  const worstFirst = rules.map((rule, index) => ({ rule, index })).toSorted((a, b) => rankOf(a.rule) - rankOf(b.rule));
  for (const { rule, index } of worstFirst) {
    // After the worst mark was found, only rules that a person has to look at still matter.
    if (found && !all && !blockOf(rule)) continue;
    const result = tryOne(rule, index);
    each[index] = result;
    if (!result) continue;
    if ('line' in result) found ??= result;
    // An untried rule matters only if its verdict would be worse; one that a person has to look at always matters.
    else if (result.fate || !found || rankOf(rule) < rankOf(found.rule)) {
      if (!untried || (result.fate && !untried.fate)) untried = result;
    }
  }
  if (found && untried && !untried.fate && rankOf(untried.rule) >= rankOf(found.rule)) untried = undefined;
  return { found, untried, each };
}
