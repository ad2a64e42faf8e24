// Values that many rows share, each stored once and identified by a small number. Dictionaries only grow: a number
// keeps its meaning in all versions of the rows, as long as the fleet is in memory.
import type { Tag } from '#/contract/tags.ts';
import { naturalKey } from './text.ts';

/** Numbers for "not reported by the service" and "empty". */
export const ABSENT = 0;
export const EMPTY = 1;

export abstract class Dictionary<Value> {
  /** Text of each number, for sorting and display. */
  readonly texts: string[] = ['', ''];
  private ranked: Uint32Array = new Uint32Array(0);

  abstract encode(value: unknown): number;
  abstract decode(code: number): Value | undefined;

  get size(): number {
    return this.texts.length;
  }

  /** The rank of each number in natural order, from 1; 0 for none. Equal texts have equal ranks. */
  ranks(): Uint32Array {
    if (this.ranked.length === this.size) return this.ranked;
    const keys = this.texts.map(naturalKey);
    const order = keys.map((_, code) => code).filter((code) => this.texts[code] !== '');
    order.sort((one, two) => (keys[one]! < keys[two]! ? -1 : keys[one]! > keys[two]! ? 1 : one - two));
    this.ranked = new Uint32Array(this.size);
    let rank = 0;
    order.forEach((code, place) => {
      if (place === 0 || keys[code] !== keys[order[place - 1]!]) rank++;
      this.ranked[code] = rank;
    });
    return this.ranked;
  }
}

/** Any JSON value as text; undefined for a missing one. */
const plain = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Texts: groups, states, versions. */
export class Words extends Dictionary<string> {
  private readonly codes = new Map<string, number>([['', EMPTY]]);

  encode(value: unknown): number {
    const text = plain(value);
    if (text === undefined) return ABSENT;
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    this.codes.set(text, this.size);
    return this.texts.push(text) - 1;
  }

  decode(code: number): string | undefined {
    return code === ABSENT ? undefined : this.texts[code];
  }
}

/** Lists of tags. A fleet has few different ones, however many devices it has. */
export class TagLists extends Dictionary<Tag[]> {
  private readonly codes = new Map<string, number>([['', EMPTY]]);
  readonly lists: Tag[][] = [[], []];

  encode(value: unknown): number {
    if (!Array.isArray(value)) return ABSENT;
    const tags = value as Tag[];
    const key = tags.map(({ TagId, TagName }) => `${TagId}\0${TagName}`).join('\n');
    const known = this.codes.get(key);
    if (known !== undefined) return known;
    this.codes.set(key, this.size);
    this.lists.push(tags);
    return this.texts.push(tags.map(tagText).join(', ')) - 1;
  }

  decode(code: number): Tag[] | undefined {
    return code === ABSENT ? undefined : this.lists[code];
  }
}

/** The name of a tag, or its id. */
export const tagText = ({ TagId, TagName }: Tag): string => TagName || TagId;
