// The matches of a search in several streams, in the order in which their rows are shown.
import { firstIndex } from '#/lib/binary-search.ts';
import type { LogList } from './log-items.ts';
import { firstFrom, type Matches } from './log-query.ts';

/** One match: where it begins, in which row of which stream. */
export interface Find {
  stream: string;
  row: number;
  from: number;
}

export interface Finds {
  /** The list item of each match. Matches in skipped rows are left out. */
  items: Uint32Array;
  at(number: number): Find;
  /** The number of a match; -1 if it is gone. */
  numberOf(find: Find): number;
  /** The number of the first match at or after a list item. */
  firstFrom(item: number): number;
}

export function findsIn(list: LogList, byStream: ReadonlyMap<string, Matches>): Finds {
  const parts = list.blocks.flatMap((block) => {
    const matches = byStream.get(block.stream.name);
    return matches ? [{ block, matches, next: firstFrom(matches, block.skipped) }] : [];
  });
  const count = parts.reduce((sum, { matches, next }) => sum + matches.rows.length - next, 0);
  const items = new Uint32Array(count);
  const of = new Uint8Array(count);
  const indexes = new Uint32Array(count);
  const itemOf = ({ block, matches, next }: (typeof parts)[number]) =>
    next < matches.rows.length ? list.itemOf(block, matches.rows[next] ?? 0) : Number.POSITIVE_INFINITY;
  const heads = parts.map(itemOf);
  for (let number = 0; number < count; number++) {
    const which = heads.indexOf(Math.min(...heads));
    const part = parts[which];
    if (!part) break;
    items[number] = heads[which] ?? 0;
    of[number] = which;
    indexes[number] = part.next++;
    heads[which] = itemOf(part);
  }
  const at = (number: number): Find => {
    const part = parts[of[number] ?? 0];
    const index = indexes[number] ?? 0;
    return {
      stream: part?.block.stream.name ?? '',
      row: part?.matches.rows[index] ?? 0,
      from: part?.matches.from[index] ?? 0,
    };
  };
  const first = (item: number) => firstIndex(count, (number) => (items[number] ?? 0) >= item);
  return {
    items,
    at,
    firstFrom: first,
    numberOf: ({ stream, row, from }) => {
      const block = list.blocks.find((each) => each.stream.name === stream);
      const item = block ? list.itemOf(block, row) : -1;
      for (let number = first(item); items[number] === item; number++) {
        const find = at(number);
        if (find.from === from && find.row === row) return number;
      }
      return -1;
    },
  };
}
