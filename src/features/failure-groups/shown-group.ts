// A group of failures for display: its title with the varying parts, its exit codes and its exact messages.
import { isWord, type Member, type ShownWording, type Wording } from './wording.ts';

export interface TitlePiece {
  text: string;
  spaced: boolean;
  /** Whether it differs between the devices of the group. */
  varies: boolean;
  /** Some of its values; empty if it does not differ. */
  values: string[];
}

export interface FailureGroup {
  id: string;
  /** Ids that lead to this group too: those of its other wordings. */
  otherIds: string[];
  ended: string;
  /** A line of the first wording; empty without output. */
  title: TitlePiece[];
  /** Whether no line names an error, so that the title is just the last line. */
  isLast: boolean;
  /** All members; {@link withMembersInOrder} lists them as the job does. */
  keys: string[];
  exitCodes: { code: number; count: number }[];
  /** The most common wordings, if there are several. */
  ways: { line: string; count: number }[];
}

const MAX_VALUES = 5;
const MAX_WAYS = 5;

export const byText = (one: string, two: string) => (one < two ? -1 : one > two ? 1 : 0);

/** Shortest first, so that "5" precedes "17". */
const byValue = (one: string, two: string) => one.length - two.length || byText(one, two);

function shownWording({ members }: Wording): ShownWording | undefined {
  let first: Member | undefined;
  let isLast = true;
  const sets = new Map<number, Set<string>>();
  for (const member of members.values()) {
    if (!first || byValue(member.line, first.line) < 0) first = member;
    isLast &&= member.isLast;
    for (const [at, { text, varies }] of member.tokens.entries()) {
      if (!varies) continue;
      const set = sets.get(at);
      if (set) set.add(text);
      else sets.set(at, new Set([text]));
    }
  }
  const few = (set: ReadonlySet<string>) => [...set].sort(byValue).slice(0, MAX_VALUES);
  const values = new Map(Array.from(sets, ([at, set]) => [at, few(set)]));
  return first && { first, values, isLast };
}

export function shownGroup(first: Wording, others: readonly Wording[]): FailureGroup | [] {
  const { id, ended } = first;
  const wordings = [first, ...others];
  for (const each of wordings) each.shown ??= shownWording(each);
  if (!first.shown) return [];
  const { first: example, values, isLast } = first.shown;
  const members = wordings.flatMap((each) => [...each.members]);
  const codes = new Map<number, number>();
  for (const [, { exitCode }] of members)
    if (exitCode !== undefined) codes.set(exitCode, (codes.get(exitCode) ?? 0) + 1);
  const isCommon = (at: number) => others.every(({ similarity }) => similarity.get(first)?.matching[at]);
  const title = example.tokens.map((token, at): TitlePiece => {
    const texts = values.get(at) ?? [];
    const varies = token.varies ? texts.length > 1 || others.length > 0 : !isCommon(at) && isWord(token);
    return { text: token.text, spaced: token.spaced, varies, values: texts.length > 1 ? texts : [] };
  });
  const ways = wordings
    .map(({ shown, key, members: { size } }) => ({ line: shown?.first.line ?? '', count: size, key }))
    .sort((one, two) => two.count - one.count || byText(one.key, two.key))
    .slice(0, MAX_WAYS)
    .map(({ line, count }) => ({ line, count }));
  return {
    id,
    otherIds: others.map((other) => other.id),
    ended,
    title,
    isLast: example.tokens.length > 0 && isLast,
    keys: members.map(([key]) => key),
    exitCodes: Array.from(codes, ([code, count]) => ({ code, count })).sort(
      (one, two) => two.count - one.count || one.code - two.code,
    ),
    ways: others.length > 0 ? ways : [],
  };
}
