// Compiles users' patterns with an engine whose time is linear in the length of the text, so that no pattern can block
// the service as with a backtracking engine. It has no look-around and no back-references; those are refused with an
// explanation.
import { RE2JS } from 're2js';
import { ruleFault, type Rule } from '#/contract/rules.ts';
import { READING, type StoredRule } from '../store/rules.ts';
import { partsOf, type Part } from './pattern-parts.ts';

export interface Pattern {
  test(line: string): boolean;
  /** The index of the first match. */
  indexIn(line: string): number;
}

type Written = Pick<Rule, 'Find' | 'CaseSensitive'>;

/** In longer lines a match is not located, which takes longer than testing the line. */
const MAX_LOCATED = 64 * 1024;
const MAX_COMPILED = 500;

/** Syntax that the engine refuses, as a whole part of a pattern, and what to write instead. */
const REFUSED: readonly [part: RegExp, name: string, instead: string][] = [
  [/^\(\?[=!]$/, 'look-ahead', 'write what follows as a part of the pattern, or make a rule of its own for it'],
  [/^\(\?<[=!]$/, 'look-behind', 'write what comes before as a part of the pattern'],
  [/^\\(?:[1-9]$|[kg].)|^\(\?P=$/, 'the back-reference', 'write the repeated text once more'],
  [/^\(\?>$/, 'the atomic group', 'write “(?:” instead'],
  [/^[*+?}]\+$|^\{.*\}\+$/, 'the possessive quantifier', 'leave out the second “+”'],
  [/^\(\?#/, 'the comment', 'leave it out'],
  [/^\(\?'$/, 'the group', 'write “(?<name>” instead'],
  [/^\(\?\|$/, 'the group', 'write “(?:” instead'],
  [/^\(\?(?:P?[&>]|[R\d+])$/, 'the group', 'repeat that part of the pattern here'],
  [/^\(\?\($/, 'the condition', 'write both cases as “(?:…|…)”'],
  [/^\(\?x$/, 'the flag', 'write the pattern without blanks and comments'],
  [/^\(\?[au]$/, 'the flag', 'leave it out'],
  [/^\(\*$/, 'the control word', 'leave it out, or write “\\(” for the character'],
  [/^\\Z$/, 'the anchor', 'write “$” instead'],
  [/^\\[GK]$/, 'the anchor', 'leave it out'],
  [/^\\h$/, 'the escape', 'write “[ \\t]” instead'],
  [/^\\H$/, 'the escape', 'write “[^ \\t]” instead'],
  [/^\\e$/, 'the escape', 'write “\\x1b” instead; colors are removed from the output before it is searched'],
  [/^\\R$/, 'the escape', 'leave it out, because each line is searched by itself'],
  [/^\\[CNX]$/, 'the escape', 'write “.” instead'],
  [/^\\[NoU]./, 'the escape', 'write the character itself, or its number as in “\\x{e9}”'],
  [/^\\E$/, 'the escape', 'leave it out: no “\\Q” comes before it'],
  [/^\\x/, 'the escape', 'write two hexadecimal digits, as in “\\x09”, or “\\x{e9}”'],
  [/^\\u/, 'the escape', 'write four hexadecimal digits of a character, as in “\\u00e9”'],
  [/^\\[pP]\{\^?\w+=/, 'the property', 'write “\\p{Greek}” for a script and “\\p{Lu}” for a category'],
];
const REFUSED_IN_CLASS: typeof REFUSED = [
  [/^\\b$/, 'the escape', 'write “\\x08” for a backspace, or put “\\b” outside of the brackets for the edge of a word'],
  [/^\\[AzBQEZGKRXC]$/, 'the escape', 'put it outside of the brackets'],
  [/^\\h$/, 'the escape', 'write a blank and “\\t” instead'],
  [/^\\[HN]$/, 'the escape', 'write the characters themselves'],
];
/** Parts that the engine has, and that would match one of the above. */
const KNOWN = /^\\(?:x(?:[\da-fA-F]{2}|\{[\da-fA-F]+\})|[0-7]{2,})$/;
const ESCAPED_BY_ENGINE = /^\\(?:[aftnrvdDsSwWbBAzQ0pPx]|[0-7]{2}|[\x20-\x7e](?<![a-zA-Z0-9]))/;

/** Explains which part of a pattern the engine does not support. */
function refusedPart(find: string): string | undefined {
  for (const { text, inClass } of partsOf(find)) {
    if (KNOWN.test(text)) continue;
    for (const [part, name, instead] of inClass ? [...REFUSED_IN_CLASS, ...REFUSED] : REFUSED)
      if (part.test(text)) return `${name} “${text}” cannot be used: ${instead}`;
    if (text === '\\') return 'the “\\” at the end escapes nothing: write “\\\\” for the character';
    if (text.startsWith('\\') && !ESCAPED_BY_ENGINE.test(text))
      return `the escape “${text}” is unknown: write “${text.slice(1)}” for the character itself`;
  }
  return undefined;
}

/**
 * What the engine accepts, and other programs read differently: a person who saves it may have expected the other
 * meaning.
 */
function ambiguousPart(find: string): string | undefined {
  for (const { text, at, inClass } of partsOf(find)) {
    if (inClass) continue;
    if (text === '\\<' || text === '\\>')
      return `“${text}” is the edge of a word in grep: write “\\b” for that, or “${text.slice(1)}” for the character`;
    if (at > 0 && text.startsWith('{,'))
      return `“${text}” is no repeat everywhere: write “{0${text.slice(1)}” for that, or “\\${text}” for the characters`;
    const [name] = /^\[:\^?[a-z]+:\]/.exec(find.slice(at)) ?? [];
    if (name !== undefined && text === '[') return `“${name}” would be a class of these letters: write “[${name}]”`;
  }
  return undefined;
}

/** What JavaScript writes differently, as this engine writes it. */
function inEngineSyntax({ text, opensClass, inClass }: Part): string {
  if (text === '[^]' && !opensClass && !inClass) return '(?s:.)';
  const [, control] = /^\\c(.)$/.exec(text) ?? [];
  if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
  const units = text.startsWith('\\u') ? (text.match(/[\da-fA-F]{2,}/g) ?? []) : [];
  const [first = '', second] = units;
  const code =
    second === undefined
      ? Number.parseInt(first, 16)
      : String.fromCharCode(Number.parseInt(first, 16), Number.parseInt(second, 16)).codePointAt(0);
  // Half of a pair is no character.
  const isCharacter = code !== undefined && (code < 0xd800 || (code > 0xdfff && code <= 0x10ffff));
  return isCharacter ? `\\x{${code.toString(16)}}` : text;
}

const translated = (find: string): string => Array.from(partsOf(find), inEngineSyntax).join('');

function reasonOf(find: string, error: unknown): string {
  const refused = refusedPart(find);
  if (refused !== undefined) return refused;
  const message = error instanceof Error ? error.message : String(error);
  const repeat = /^error parsing regexp: invalid repeat count: `(.*)`$/s.exec(message)?.[1];
  if (repeat !== undefined) return `“${repeat}” repeats more than 1,000 times: write a smaller number`;
  // The engine puts the flag for ignoring case in front.
  const [, what, where] = /^error parsing regexp: (.*): `(?:\(\?i\))?(.*)`$/s.exec(message) ?? [];
  return `it is no pattern (${what === undefined ? message.replace(/^error parsing regexp: /, '') : `${what} at “${where}”`})`;
}

const compiled = new Map<string, Pattern | string>();

/** The compiled pattern, or an explanation why it cannot be used. */
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

const engineOf = (pattern: string, caseSensitive: boolean): RE2JS =>
  RE2JS.compile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);

/** The pattern as it is written. Only one that the engine refuses is translated. */
function readEngine(find: string, caseSensitive: boolean): RE2JS | string {
  try {
    return engineOf(find, caseSensitive);
  } catch (error) {
    const other = translated(find);
    if (other !== find)
      try {
        return engineOf(other, caseSensitive);
      } catch {
        // The reason is about what the person wrote.
      }
    return reasonOf(find, error);
  }
}

function compile(find: string, caseSensitive: boolean): Pattern | string {
  const engine = readEngine(find, caseSensitive);
  if (typeof engine === 'string') return engine;
  return {
    test: (line) => engine.test(line),
    indexIn: (line) => {
      if (line.length > MAX_LOCATED) return 0;
      const matcher = engine.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}

/** Why the engine cannot run a rule, which must then be rewritten. */
export function patternFault(rule: Rule): string | undefined {
  if (!rule.Pattern) return undefined;
  const pattern = patternOf(rule);
  return typeof pattern === 'string' ? pattern : undefined;
}

const programOf = (engine: RE2JS): string => String(engine.re2().prog);

/** A pattern as versions before `READING` 2 compiled it, whatever the engine said to what was written. */
function formerPattern({ Find, CaseSensitive }: Written): { text: string; program: string } | undefined {
  const text = RE2JS.translateRegExp(Find);
  try {
    return { text, program: programOf(engineOf(text, CaseSensitive)) };
  } catch {
    return undefined;
  }
}

/**
 * How an earlier version read a rule that it saved, if this version reads it differently and nobody has confirmed that
 * yet. Empty if it could not read it.
 */
export function formerReading(rule: StoredRule): string | undefined {
  if (!rule.Pattern || rule.Reading === READING) return undefined;
  const engine = readEngine(rule.Find, rule.CaseSensitive);
  if (typeof engine === 'string') return undefined;
  const former = formerPattern(rule);
  return former?.program === programOf(engine) ? undefined : (former?.text ?? '');
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Why a rule cannot be saved. */
export function savingFault(rule: Rule): string | undefined {
  const fault = ruleFault(rule);
  if (fault !== undefined || !rule.Pattern) return fault;
  const pattern = patternOf(rule);
  if (typeof pattern === 'string') return capital(pattern);
  const ambiguous = ambiguousPart(rule.Find);
  if (ambiguous !== undefined) return capital(ambiguous);
  return pattern.test('') ? 'This pattern matches every line' : undefined;
}
