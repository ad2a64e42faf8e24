// The outcome rules of all artifacts as text, for the browser's store and for a file that goes to a colleague. What is read
// may be anything: what is no rule is left out, and counted.
import { RULED, RULE_STREAMS, sameRule, type Rule } from '#/features/jobs/rule.ts';
import { stored } from '#/lib/stored.ts';

/** The rules of one name: an artifact in all its versions, a workflow, or a job. */
export interface RuleSet {
  name: string;
  rules: readonly Rule[];
}

const FORMAT = 'muster-outcome-rules';
/** Far above what a person writes; a file beyond it is no file of rules. */
export const MOST_RULES = 50;
const MOST_SETS = 1000;
export const LONGEST_FIND = 500;
const LONGEST_NAME = 255;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most;

function readRule(value: unknown): Rule[] {
  if (!isObject(value)) return [];
  const { find, pattern, caseSensitive, stream = 'both', verdict } = value;
  const knownStream = RULE_STREAMS.find((each) => each === stream);
  const ruled = RULED.find((each) => each === verdict);
  if (!isText(find, LONGEST_FIND) || !knownStream || !ruled) return [];
  return [
    { find, pattern: pattern === true, caseSensitive: caseSensitive === true, stream: knownStream, verdict: ruled },
  ];
}

/** The sets in a text; what is none is left out. `undefined`: the text is nothing of the kind. */
export function parseRuleSets(text: string): { sets: RuleSet[]; leftOut: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['format'] !== FORMAT || !Array.isArray(value['sets'])) return undefined;
  let leftOut = Math.max(0, value['sets'].length - MOST_SETS);
  const sets = new Map<string, RuleSet>();
  for (const set of (value['sets'] as unknown[]).slice(0, MOST_SETS)) {
    const { name, rules } = isObject(set) ? set : {};
    const given: unknown[] = Array.isArray(rules) ? rules : [];
    const read = given.slice(0, MOST_RULES).flatMap(readRule);
    leftOut += given.length - read.length;
    if (isText(name, LONGEST_NAME) && read.length > 0 && !sets.has(name)) sets.set(name, { name, rules: read });
    else leftOut += Math.max(1, read.length);
  }
  return { sets: [...sets.values()], leftOut };
}

export const printRuleSets = (sets: readonly RuleSet[], space?: number): string =>
  JSON.stringify({ format: FORMAT, version: 1, sets }, undefined, space);

const NONE: readonly RuleSet[] = [];

/** The rules of the account, as this browser stores them. */
export const ruleSets = stored('muster-outcome-rules', NONE, {
  read: (text) => {
    const parsed = parseRuleSets(text);
    if (!parsed) throw new Error('These are no rules.');
    return parsed.sets;
  },
  print: (sets) => printRuleSets(sets),
});

/** False where the browser refuses, and they are lost with the page. */
export const saveRuleSets = (sets: readonly RuleSet[]): boolean => ruleSets.set(sets.length === 0 ? NONE : sets);

/** The sets with one name's rules replaced; without rules the name is removed. */
export function withRules(sets: readonly RuleSet[], name: string, rules: readonly Rule[]): RuleSet[] {
  const others = sets.filter((set) => set.name !== name);
  return rules.length === 0 ? others : [...others, { name, rules }].sort((a, b) => a.name.localeCompare(b.name));
}

/** What becomes of a name that has rules here and in a file. */
export type Clash = 'mine' | 'theirs' | 'both';

export function mergeRuleSets(mine: readonly RuleSet[], theirs: readonly RuleSet[], clash: Clash): RuleSet[] {
  let merged = [...mine];
  for (const { name, rules } of theirs) {
    const own = mine.find((set) => set.name === name)?.rules ?? [];
    if (own.length > 0 && clash === 'mine') continue;
    const added = rules.filter((rule) => !own.some((each) => sameRule(each, rule)));
    merged = withRules(merged, name, clash === 'theirs' ? rules : [...own, ...added].slice(0, MOST_RULES));
  }
  return merged;
}
