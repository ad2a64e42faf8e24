// The wordings of failures: lines that are equal except for varying parts, and how similar two of them are.
import { kindOf, type Token } from './line-tokens.ts';
import { CAUSES } from './telling-line.ts';

export interface Member {
  line: string;
  tokens: Token[];
  isLast: boolean;
  exitCode: number | undefined;
}

/** Lines that are equal except for their varying tokens. Without tokens: devices that printed nothing. */
export interface Wording {
  id: string;
  key: string;
  ended: string;
  tokens: Token[];
  weights: number[];
  weight: number;
  members: Map<string, Member>;
  /** Its similarity to the first wording of each compared group; null if too low. */
  similarity: Map<Wording, Similarity | null>;
  /** Cached; cleared when its members change. */
  shown: ShownWording | undefined;
}

interface Similarity {
  score: number;
  /** Which tokens of the first wording this one also has. */
  matching: boolean[];
}

export interface ShownWording {
  /** The member with the shortest line. */
  first: Member;
  /** A few of the texts at each varying token. */
  values: Map<number, string[]>;
  isLast: boolean;
}

/** The similarity from which two lines mean the same in different words. */
const MIN_SIMILARITY = 0.75;

/** A 53-bit hash (cyrb53) in base 36, so that the same words have the same id in any browser. */
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

/** The weight of each token: words of the cause count three times, punctuation and varying parts nothing. */
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

/** Which of the first tokens the others have in the same order: the common subsequence of the highest weight. */
function commonTokens(first: readonly Token[], others: readonly Token[], weights: readonly number[]): boolean[] {
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

export function similarityOf(first: Wording, other: Wording): Similarity | null {
  const matching = commonTokens(first.tokens, other.tokens, first.weights);
  const same = sum(first.weights.filter((_, at) => matching[at]));
  const words = first.weights.filter((weight, at) => weight > 0 && matching[at]).length;
  const score = (2 * same) / (other.weight + first.weight);
  return words >= 2 && score >= MIN_SIMILARITY ? { score, matching } : null;
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
    similarity: new Map(),
    shown: undefined,
  };
}
