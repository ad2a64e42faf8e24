// Groups the failed devices of a job by their errors, one by one as they arrive. A group keeps its id and its wording
// when it grows, so that nothing moves while the user reads and links remain valid.
import { keyOf, tokensOf, type Token } from './line-tokens.ts';
import { CAUSES, namesError, tellingLine } from './telling-line.ts';

export interface DeviceFailure {
  key: string;
  /** How it ended: a group contains only devices with the same end. */
  ended: string;
  exitCode: number | undefined;
  /** The device's name and id. */
  names: string[];
  stdout: string;
  stderr: string;
  /** The service's own text about the end. */
  reason: string;
}

export interface TitlePiece {
  text: string;
  spaced: boolean;
  /** Differs between the devices of the group. */
  varies: boolean;
  /** Some of its values; empty if it does not differ. */
  values: string[];
}

export interface FailureGroup {
  id: string;
  ended: string;
  /** The line of the first device of the group; empty without output. */
  title: TitlePiece[];
  /** No line names an error: the title is only the last line. */
  isLast: boolean;
  /** All members; the grouper lists them as they arrived, {@link withMembersInOrder} as the job does. */
  keys: string[];
  exitCodes: { code: number; count: number }[];
  /** The most common wordings, where there is more than one. */
  ways: { line: string; count: number }[];
}

/** Lines that are equal except for their varying tokens. */
interface Wording {
  group: Group;
  tokens: Token[];
  weights: number[];
  line: string;
  isLast: boolean;
  count: number;
  /** The texts at each token that varies, a few of each. */
  values: Map<number, Set<string>>;
}

interface Group {
  id: string;
  ended: string;
  /** The first gives the group its title; without output there is none. */
  wordings: Wording[];
  /** Of the tokens of the first wording, those that every wording has. */
  common: boolean[];
  /** Of the first wording. */
  weight: number;
  members: Map<string, { wording: Wording | undefined; exitCode: number | undefined }>;
}

/** Two lines this much alike mean the same in other words. */
const ALIKE = 0.75;
/** Groups a new wording is compared with, and how many that have one of its words are looked at. */
const COMPARED = 4;
const LOOKED_AT = 64;
/** Longer lines are compared by their beginning. */
const MOST_TOKENS = 60;
const MOST_VALUES = 5;
const MOST_WAYS = 5;

/** 53 bits in short (cyrb53): an id that any browser finds again for the same words. */
function hashOf(text: string): string {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36);
}

const isWord = ({ text, varies }: Token) => varies === undefined && /[\p{L}\p{N}]/u.test(text);

/** How much each token counts: words of the cause three times, signs and what varies nothing. */
function weightsOf(tokens: readonly Token[], line: string): number[] {
  const cause = CAUSES.exec(line);
  const end = cause ? cause.index + cause[0].length : 0;
  let at = 0;
  return tokens.map((token) => {
    at = line.indexOf(token.text, at);
    const inside = cause !== null && at >= cause.index && at < end;
    at += token.text.length;
    return isWord(token) ? (inside ? 3 : 1) : 0;
  });
}

/** Of the first tokens, those that the others have in the same order: the heaviest such choice (LCS by weight). */
function shared(first: readonly Token[], others: readonly Token[], weights: readonly number[]): boolean[] {
  const width = others.length + 1;
  const best = new Float64Array((first.length + 1) * width);
  const equal = (i: number, j: number) => {
    const one = first[i];
    const two = others[j];
    return one && two && (one.varies ? one.varies === two.varies : !two.varies && one.text === two.text);
  };
  for (let i = first.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      best[i * width + j] = equal(i, j)
        ? (weights[i] ?? 0) + 0.001 + (best[(i + 1) * width + j + 1] ?? 0)
        : Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
  const matching = first.map(() => false);
  for (let i = 0, j = 0; i < first.length && j < others.length;) {
    if (equal(i, j)) {
      matching[i++] = true;
      j++;
    } else if ((best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return matching;
}

const sum = (weights: readonly number[]) => weights.reduce((total, weight) => total + weight, 0);

export class Grouper {
  private readonly groups = new Map<string, Group>();
  private readonly wordings = new Map<string, Wording>();
  private readonly groupOf = new Map<string, Group>();
  /** Groups that have a word in their first wording. */
  private readonly byWord = new Map<string, Group[]>();

  /** Takes a device in; one that was there before is taken out first. */
  put(failure: DeviceFailure): void {
    const { key, ended, exitCode, stdout, stderr, reason } = failure;
    this.remove(key);
    const line = tellingLine({ stdout, stderr, reason });
    const names = failure.names.map((name) => name.toLowerCase());
    const tokens = tokensOf(line, names).slice(0, MOST_TOKENS);
    const wording = tokens.length > 0 ? this.wordingOf(ended, tokens, line, reason) : undefined;
    const group = wording?.group ?? this.groupWith(hashOf(`${ended}\n\u0000${exitCode ?? ''}`), ended);
    if (wording) {
      wording.count++;
      for (const [at, { text, varies }] of tokens.entries()) {
        if (!varies) continue;
        const values = wording.values.get(at) ?? new Set();
        if (values.size < MOST_VALUES) wording.values.set(at, values.add(text));
      }
    }
    group.members.set(key, { wording, exitCode });
    this.groupOf.set(key, group);
  }

  remove(key: string): void {
    const group = this.groupOf.get(key);
    if (!group) return;
    const wording = group.members.get(key)?.wording;
    if (wording) wording.count--;
    group.members.delete(key);
    this.groupOf.delete(key);
  }

  private wordingOf(ended: string, tokens: Token[], line: string, reason: string): Wording {
    const key = `${ended}\n${keyOf(tokens)}`;
    const known = this.wordings.get(key);
    if (known) return known;
    const weights = weightsOf(tokens, line);
    const group = this.alike(ended, tokens, weights) ?? this.groupWith(hashOf(key), ended);
    const isLast = !namesError(line) && !reason.includes(line);
    const wording: Wording = { group, tokens, weights, line, isLast, count: 0, values: new Map() };
    this.wordings.set(key, wording);
    if (group.wordings.push(wording) === 1) {
      group.common = tokens.map(() => true);
      group.weight = sum(weights);
      for (const word of new Set(tokens.filter(isWord).map(({ text }) => text)))
        this.byWord.set(word, [...(this.byWord.get(word) ?? []), group].slice(0, LOOKED_AT));
    }
    return wording;
  }

  /** The group whose first wording is most alike; it is made to fit this one, too. */
  private alike(ended: string, tokens: Token[], weights: number[]): Group | undefined {
    const hits = new Map<Group, number>();
    for (const [at, token] of tokens.entries())
      if (isWord(token))
        for (const group of this.byWord.get(token.text) ?? [])
          if (group.ended === ended) hits.set(group, (hits.get(group) ?? 0) + (weights[at] ?? 0));
    const own = sum(weights);
    let best: { group: Group; matching: boolean[]; score: number } | undefined;
    for (const [group] of [...hits].sort(([, one], [, two]) => two - one).slice(0, COMPARED)) {
      const [first] = group.wordings;
      if (!first) continue;
      const matching = shared(first.tokens, tokens, first.weights);
      const same = matching.reduce((total, matches, at) => total + (matches ? (first.weights[at] ?? 0) : 0), 0);
      const words = matching.filter((matches, at) => matches && (first.weights[at] ?? 0) > 0).length;
      const score = (2 * same) / (own + group.weight);
      if (words >= 2 && score >= ALIKE && score > (best?.score ?? 0)) best = { group, matching, score };
    }
    if (!best) return undefined;
    const { group, matching } = best;
    group.common = group.common.map((common, at) => common && matching[at] === true);
    return group;
  }

  private groupWith(id: string, ended: string): Group {
    const group = this.groups.get(id) ?? { id, ended, wordings: [], common: [], weight: 0, members: new Map() };
    this.groups.set(id, group);
    return group;
  }

  /** The largest first, of equals the one that arrived first. */
  all(): FailureGroup[] {
    return Array.from(this.groups.values())
      .filter(({ members }) => members.size > 0)
      .sort((one, two) => two.members.size - one.members.size)
      .map(shownGroup);
  }
}

function shownGroup({ id, ended, wordings, common, members }: Group): FailureGroup {
  const [first] = wordings;
  const codes = new Map<number, number>();
  for (const { exitCode } of members.values())
    if (exitCode !== undefined) codes.set(exitCode, (codes.get(exitCode) ?? 0) + 1);
  const used = wordings.filter(({ count }) => count > 0);
  const title = (first?.tokens ?? []).map((token, at): TitlePiece => {
    const values = [...(first?.values.get(at) ?? [])];
    const varies = token.varies ? values.length > 1 || used.length > 1 : common[at] === false && isWord(token);
    return { text: token.text, spaced: token.spaced, varies, values: values.length > 1 ? values : [] };
  });
  const ways = used
    .toSorted((one, two) => two.count - one.count)
    .slice(0, MOST_WAYS)
    .map(({ line, count }) => ({ line, count }));
  return {
    id,
    ended,
    title,
    isLast: first?.isLast ?? false,
    keys: [...members.keys()],
    exitCodes: Array.from(codes, ([code, count]) => ({ code, count })).sort((one, two) => two.count - one.count),
    ways: used.length > 1 ? ways : [],
  };
}

/** The same groups with their members in the order of `keys`: which device failed first is chance. */
export function withMembersInOrder(groups: readonly FailureGroup[], keys: Iterable<string>): FailureGroup[] {
  const indexOf = new Map(Array.from(keys, (key, index) => [key, index]));
  return groups.map((group) => ({
    ...group,
    keys: group.keys.toSorted((one, two) => (indexOf.get(one) ?? 0) - (indexOf.get(two) ?? 0)),
  }));
}
