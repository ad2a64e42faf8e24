// The wordings of failures: lines that are equal except for what varies, and how much two of them have in common.
import { kindOf, type Token } from './line-tokens.ts';
import { CAUSES } from './telling-line.ts';

export interface Member {
  line: string;
  tokens: Token[];
  isLast: boolean;
  exitCode: number | undefined;
}

/** Lines that are equal except for their varying tokens. Without tokens: the devices that printed nothing. */
export interface Wording {
  id: string;
  key: string;
  ended: string;
  tokens: Token[];
  weights: number[];
  weight: number;
  members: Map<string, Member>;
  /** What it has in common with the first wording of a group that was compared; null if too little. */
  likeness: Map<Wording, Likeness | null>;
  /** Cleared by each change of its members. */
  shown: ShownWording | undefined;
}

interface Likeness {
  score: number;
  /** Of the tokens of the first wording, those that this one has too. */
  matching: boolean[];
}

export interface ShownWording {
  /** Its first line by text. */
  first: Member;
  /** The texts at each token that varies, a few of each. */
  values: Map<number, string[]>;
  isLast: boolean;
}

/** Two lines this much alike mean the same in other words. */
const ALIKE = 0.75;

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

export const isWord = ({ text, varies }: Token) => varies === undefined && /[\p{L}\p{N}]/u.test(text);

/** How much each token counts: words of the cause three times, signs and what varies nothing. */
function weightsOf(tokens: readonly Token[]): number[] {
  const ends: number[] = [];
  let line = '';
  for (const { text, varies, spaced } of tokens) {
    line += `${spaced ? ' ' : ''}${varies ? '\u0000' : text}`;
    ends.push(line.length);
  }
  const cause = CAUSES.exec(line);
  const end = cause ? cause.index + cause[0].length : 0;
  return tokens.map((token, at) => {
    const tokenEnd = ends[at] ?? 0;
    const inside = cause !== null && tokenEnd > cause.index && tokenEnd <= end;
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
    return one && two && (one.varies ? kindOf(one) === kindOf(two) : !two.varies && one.text === two.text);
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

export function likenessOf(first: Wording, other: Wording): Likeness | null {
  const matching = shared(first.tokens, other.tokens, first.weights);
  const same = sum(first.weights.filter((_, at) => matching[at]));
  const words = first.weights.filter((weight, at) => weight > 0 && matching[at]).length;
  const score = (2 * same) / (other.weight + first.weight);
  return words >= 2 && score >= ALIKE ? { score, matching } : null;
}

export function newWording(key: string, ended: string, tokens: Token[]): Wording {
  const weights = weightsOf(tokens);
  return {
    id: hashOf(key),
    key,
    ended,
    tokens,
    weights,
    weight: sum(weights),
    members: new Map(),
    likeness: new Map(),
    shown: undefined,
  };
}
