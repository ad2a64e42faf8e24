// Patterns that people write, on an engine whose time grows with the length of the text only: no pattern can hold the
// service up as backtracking ones do. It has no look-around and no back-references, which are refused in words.
import { RE2JS } from 're2js';
import { ruleFault, type Rule } from '#/contract/rules.ts';

export interface Pattern {
  test(line: string): boolean;
  /** Where the first match begins. */
  indexIn(line: string): number;
}

type Written = Pick<Rule, 'Find' | 'CaseSensitive'>;

/** Beyond this the place of a match within a line is not looked up, which takes longer than to find the line. */
const LONGEST_LOCATED = 64 * 1024;
const MOST_COMPILED = 500;

/** Parts that the engine does not have, and what to write instead. Escapes before them are skipped. */
const UNSUPPORTED: readonly [part: RegExp, name: string, instead: string][] = [
  [/^\(\?[=!]/, 'look-ahead', 'write what follows as a part of the pattern, or make a rule of its own for it'],
  [/^\(\?<[=!]/, 'look-behind', 'write what comes before as a part of the pattern'],
  [/^\\(?:[1-9]|k<)/, 'the back-reference', 'write the repeated text once more'],
  [/^\(\?>/, 'the atomic group', 'write “(?:” instead'],
  [/^[*+?}]\+/, 'the possessive quantifier', 'leave out the second “+”'],
];

/** The part of a pattern that the engine cannot do, in words. */
function unsupportedPart(find: string): string | undefined {
  for (let at = 0; at < find.length; at += find[at] === '\\' ? 2 : 1)
    for (const [part, name, instead] of UNSUPPORTED) {
      const [found] = part.exec(find.slice(at)) ?? [];
      if (found !== undefined) return `${name} “${found}” cannot be used: ${instead}`;
    }
  return undefined;
}

function reasonOf(find: string, error: unknown): string {
  const unsupported = unsupportedPart(find);
  if (unsupported !== undefined) return unsupported;
  const message = error instanceof Error ? error.message : String(error);
  const repeat = /^error parsing regexp: invalid repeat count: `(.*)`$/s.exec(message)?.[1];
  if (repeat !== undefined) return `“${repeat}” repeats more than 1,000 times: write a smaller number`;
  // The engine writes the wish to ignore case in front.
  const [, what, where] = /^error parsing regexp: (.*): `(?:\(\?i\))?(.*)`$/s.exec(message) ?? [];
  return `it is no pattern (${what === undefined ? message.replace(/^error parsing regexp: /, '') : `${what} at “${where}”`})`;
}

const compiled = new Map<string, Pattern | string>();

/** A pattern, or in words why it cannot be used. What people write elsewhere, as in \u00e9, is understood too. */
export function patternOf({ Find, CaseSensitive }: Written): Pattern | string {
  const key = `${CaseSensitive ? 's' : 'i'}${Find}`;
  let pattern = compiled.get(key);
  compiled.delete(key);
  pattern ??= compile(Find, CaseSensitive);
  compiled.set(key, pattern);
  const [oldest] = compiled.keys();
  if (compiled.size > MOST_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return pattern;
}

function compile(find: string, caseSensitive: boolean): Pattern | string {
  // Taken for a letter otherwise.
  if (/\\k</.test(find)) {
    const unsupported = unsupportedPart(find);
    if (unsupported !== undefined) return unsupported;
  }
  try {
    const engine = RE2JS.compile(RE2JS.translateRegExp(find), caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return {
      test: (line) => engine.test(line),
      indexIn: (line) => {
        if (line.length > LONGEST_LOCATED) return 0;
        const matcher = engine.matcher(line);
        return matcher.find() ? matcher.start() : 0;
      },
    };
  } catch (error) {
    return reasonOf(find, error);
  }
}

/** Why the engine cannot run a rule: then the rule must be rewritten. */
export function patternFault(rule: Rule): string | undefined {
  if (!rule.Pattern) return undefined;
  const pattern = patternOf(rule);
  return typeof pattern === 'string' ? pattern : undefined;
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Why a rule cannot be saved. */
export function savingFault(rule: Rule): string | undefined {
  const fault = ruleFault(rule);
  if (fault !== undefined || !rule.Pattern) return fault;
  const pattern = patternOf(rule);
  if (typeof pattern === 'string') return capital(pattern);
  return pattern.test('') ? 'This pattern matches every line' : undefined;
}
