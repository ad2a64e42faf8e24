// Groups the failed devices of a job by their errors. The groups do not depend on the order in which failures arrive. Every
// wording has an id that leads to its group, so that links stay valid when the group grows.
import { keyOf, tokensOf } from './line-tokens.ts';
import { byText, shownGroup, type FailureGroup } from './shown-group.ts';
import { namesError, tellingLine } from './telling-line.ts';
import { isWord, similarityOf, newWording, type Wording } from './wording.ts';

export interface DeviceFailure {
  key: string;
  /** How it ended; all devices of a group ended the same way. */
  ended: string;
  exitCode: number | undefined;
  /** The device's name and id. */
  names: string[];
  stdout: string;
  stderr: string;
  /** The service's own text about the end. */
  reason: string;
}

/** Groups with which a new wording is compared in detail, and candidates considered for that per word. */
const MAX_COMPARED = 4;
const MAX_CANDIDATES = 64;
/** Of longer lines only the beginning is compared. */
const MAX_TOKENS = 60;

const total = <T>(values: Iterable<T>, sizeOf: (value: T) => number) => {
  let size = 0;
  for (const value of values) size += sizeOf(value);
  return size;
};

export class Grouper {
  private readonly wordings = new Map<string, Wording>();
  private readonly wordingOf = new Map<string, Wording>();

  /** Adds a device, or replaces it. */
  put(failure: DeviceFailure): void {
    const { key, ended, exitCode, stdout, stderr, reason } = failure;
    this.remove(key);
    const line = tellingLine({ stdout, stderr, reason });
    const names = failure.names.map((name) => name.toLowerCase());
    const tokens = tokensOf(line, names).slice(0, MAX_TOKENS);
    const wordingKey = `${ended}\n${tokens.length > 0 ? keyOf(tokens) : `\u0000${exitCode ?? ''}`}`;
    let wording = this.wordings.get(wordingKey);
    if (!wording) {
      wording = newWording(wordingKey, ended, tokens);
      this.wordings.set(wordingKey, wording);
    }
    const isLast = !namesError(line) && !reason.includes(line);
    wording.members.set(key, { line, tokens, isLast, exitCode });
    wording.shown = undefined;
    this.wordingOf.set(key, wording);
  }

  remove(key: string): void {
    const wording = this.wordingOf.get(key);
    if (!wording) return;
    wording.members.delete(key);
    wording.shown = undefined;
    this.wordingOf.delete(key);
  }

  /** The groups, largest first; equal sizes are ordered by text. */
  all(): FailureGroup[] {
    return this.grouped()
      .map((wordings) => ({ wordings, size: total(wordings, ({ members }) => members.size) }))
      .sort((one, two) => two.size - one.size || byText(one.wordings[0]?.key ?? '', two.wordings[0]?.key ?? ''))
      .flatMap(({ wordings: [first, ...others] }) => (first ? shownGroup(first, others) : []));
  }

  /** Groups similar wordings, in the order of their texts: each joins the first wording that it is most similar to. */
  private grouped(): Wording[][] {
    const groups = new Map<Wording, Wording[]>();
    /** The first wordings of groups, by word. */
    const byWord = new Map<string, Wording[]>();
    const used = Array.from(this.wordings.values()).filter(({ members }) => members.size > 0);
    for (const wording of used.sort((one, two) => byText(one.key, two.key))) {
      const first = mostSimilar(wording, byWord);
      if (first) {
        groups.get(first)?.push(wording);
        continue;
      }
      groups.set(wording, [wording]);
      for (const word of new Set(wording.tokens.filter(isWord).map(({ text }) => text))) {
        const known = byWord.get(word);
        if (!known) byWord.set(word, [wording]);
        else if (known.length < MAX_CANDIDATES) known.push(wording);
      }
    }
    return [...groups.values()];
  }
}

function mostSimilar(wording: Wording, byWord: ReadonlyMap<string, readonly Wording[]>): Wording | undefined {
  const hits = new Map<Wording, number>();
  for (const [at, token] of wording.tokens.entries())
    if (isWord(token))
      for (const first of byWord.get(token.text) ?? [])
        if (first.ended === wording.ended) hits.set(first, (hits.get(first) ?? 0) + (wording.weights[at] ?? 0));
  let best: Wording | undefined;
  let bestScore = 0;
  for (const [first] of [...hits].sort(([, one], [, two]) => two - one).slice(0, MAX_COMPARED)) {
    let similarity = wording.similarity.get(first);
    if (similarity === undefined) wording.similarity.set(first, (similarity = similarityOf(first, wording)));
    if (!similarity || similarity.score <= bestScore) continue;
    best = first;
    bestScore = similarity.score;
  }
  return best;
}

/** The groups with their members in the order of `keys`, because the order of failures is arbitrary. */
export function withMembersInOrder(groups: readonly FailureGroup[], keys: Iterable<string>): FailureGroup[] {
  const indexOf = new Map(Array.from(keys, (key, index) => [key, index]));
  return groups.map((group) => ({
    ...group,
    keys: group.keys.toSorted((one, two) => (indexOf.get(one) ?? 0) - (indexOf.get(two) ?? 0)),
  }));
}
