// Compiles users' patterns with an engine whose time is linear in the length of the text, so that no pattern can block
// the service as with a backtracking engine. It has no look-around and no back-references; those are refused with an
// explanation.
import { RE2JS } from 're2js';
import { ruleFault, type Rule } from '#/contract/rules.ts';

export interface Pattern {
  test(line: string): boolean;
  /** The index of the first match. */
  indexIn(line: string): number;
}

type Written = Pick<Rule, 'Find' | 'CaseSensitive'>;

/** In longer lines a match is not located, which takes longer than testing the line. */
const MAX_LOCATED = 64 * 1024;
const MAX_COMPILED = 500;

/** Syntax that the engine does not support, and what to write instead. */
const UNSUPPORTED: readonly [part: RegExp, name: string, instead: string][] = [
  [/^\(\?[=!]/, 'look-ahead', 'write what follows as a part of the pattern, or make a rule of its own for it'],
  [/^\(\?<[=!]/, 'look-behind', 'write what comes before as a part of the pattern'],
  [/^\\(?:[1-9]|k<)/, 'the back-reference', 'write the repeated text once more'],
  [/^\(\?>/, 'the atomic group', 'write “(?:” instead'],
  [/^[*+?}]\+/, 'the possessive quantifier', 'leave out the second “+”'],
];

/** Explains which part of a pattern the engine does not support. */
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
  // The engine puts the flag for ignoring case in front.
  const [, what, where] = /^error parsing regexp: (.*): `(?:\(\?i\))?(.*)`$/s.exec(message) ?? [];
  return `it is no pattern (${what === undefined ? message.replace(/^error parsing regexp: /, '') : `${what} at “${where}”`})`;
}

const compiled = new Map<string, Pattern | string>();

/** The compiled pattern, or an explanation why it cannot be used. JavaScript escapes such as \u00e9 are translated. */
export function patternOf({ Find, CaseSensitive }: Written): Pattern | string {
  const key = `${CaseSensitive ? 's' : 'i'}${Find}`;
  let pattern = compiled.get(key);
  compiled.delete(key);
  pattern ??= compile(Find, CaseSensitive);
  compiled.set(key, pattern);
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return pattern;
}

function compile(find: string, caseSensitive: boolean): Pattern | string {
  // The translation would take this for an escaped letter.
  if (/\\k</.test(find)) {
    const unsupported = unsupportedPart(find);
    if (unsupported !== undefined) return unsupported;
  }
  try {
    const engine = RE2JS.compile(RE2JS.translateRegExp(find), caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return {
      test: (line) => engine.test(line),
      indexIn: (line) => {
        if (line.length > MAX_LOCATED) return 0;
        const matcher = engine.matcher(line);
        return matcher.find() ? matcher.start() : 0;
      },
    };
  } catch (error) {
    return reasonOf(find, error);
  }
}

/** Why the engine cannot run a rule, which must then be rewritten. */
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
