// Which rows match a filter, and how many there are of each value: one pass over integers.
import { ABSENT, EMPTY, TagLists, tagText, type Dictionary } from './dictionary.ts';
import { CodeColumn, TimeColumn } from './columns.ts';
import { seenRange } from './seen-range.ts';
import { STEP } from './sort.ts';
import type { Table } from './table.ts';
import { fold, naturalKey, wordsOf } from './text.ts';

/** The fields that can be counted and selected by value. */
export const FACETS = {
  group: 'DeviceGroup',
  status: 'DeviceStatus',
  tag: 'Tags',
  customer: 'CustomerName',
  site: 'CustomerSite',
  version: 'AgentVersion',
  os: 'SysOS',
  problem: 'AgentProblem',
} as const;
export type Facet = keyof typeof FACETS;
const FACET_NAMES = Object.keys(FACETS) as Facet[];

/** By the version of an artifact that a device has; without a version, any. */
export interface RunsFilter {
  artifact: string;
  version?: string | undefined;
  /** Another version than this. */
  other?: string | undefined;
  /** It has none. */
  none?: boolean;
}

/**
 * All given conditions must hold. One of a facet's values is enough; '' means none. A group, customer or site must
 * match exactly, a status in any letter case, a tag by its name or its id.
 */
export interface RowFilter extends Partial<Record<Facet, readonly string[]>> {
  /**
   * Words that must each be a part of the name, group, customer, site or a tag or, from four letters on, of the id (any
   * id contains some "7").
   */
  search?: string;
  /** A part of the name. */
  name?: string;
  /** A part of the id. */
  id?: string;
  place?: 'placed' | 'unplaced' | 'invalid';
  /** The ids of the devices that have one of the tags, instead of `tag`, if the rows have no tags. */
  tagged?: ReadonlySet<string>;
  /** The range of their last contact, both ends included: "2026-11-02T14:03:00Z/2026-11-02T14:05:00Z". */
  seen?: string | undefined;
  runs?: RunsFilter | undefined;
  /** The devices that match `runs`, which the rows do not show. */
  running?: Pick<ReadonlySet<string>, 'has'>;
  /** Exact values of facts by name, all of which a device must have. */
  facts?: Readonly<Record<string, string>> | undefined;
  /** The devices that match `facts`, which the rows do not show. */
  having?: Pick<ReadonlySet<string>, 'has'>;
}

export const PLACE_KINDS = { unplaced: 0, placed: 1, invalid: 2 } as const;

export interface FacetValue {
  /** '' for devices without a value. */
  value: string;
  count: number;
}

/** The values of a facet's field that pass a filter; undefined if all do. */
function allowedCodes(dictionary: Dictionary<unknown>, facet: Facet, values: readonly string[] | undefined) {
  if (!values || values.length === 0) return undefined;
  const allowed = new Uint8Array(dictionary.size);
  const wanted = new Set(facet === 'status' ? values.map(fold) : values);
  for (let code = 0; code < dictionary.size; code++) {
    const text = dictionary.texts[code] ?? '';
    const isWanted =
      code <= EMPTY
        ? wanted.has('')
        : dictionary instanceof TagLists
          ? dictionary.lists[code]?.some(
              ({ TagId, TagName }) => wanted.has(TagId) || (TagName !== '' && wanted.has(TagName)),
            )
          : wanted.has(facet === 'status' ? fold(text) : text);
    if (isWanted) allowed[code] = 1;
  }
  return allowed;
}

interface Dimension {
  facet: Facet;
  dictionary: Dictionary<unknown>;
  codes: Uint32Array;
  allowed: Uint8Array | undefined;
}

function dimensionsOf({ columns }: Table, filter: RowFilter): Dimension[] {
  return FACET_NAMES.flatMap((facet) => {
    const column = columns.get(FACETS[facet]);
    if (column instanceof CodeColumn)
      return [
        {
          facet,
          dictionary: column.dictionary,
          codes: column.all,
          allowed: facet === 'tag' && filter.tagged ? undefined : allowedCodes(column.dictionary, facet, filter[facet]),
        },
      ];
    return [];
  });
}

const LEAST_OF_ID = 4;
/** `text`: as `haystackOf` writes it. */
const isIn = (text: string, word: string) => {
  const at = text.indexOf(word);
  if (at < 0 || word.length >= LEAST_OF_ID) return at >= 0;
  const id = text.indexOf('\n') + 1;
  const others = text.indexOf('\n', id) + 1;
  return at < id || text.includes(word, others) || text.slice(id, others - 1) === word;
};

/** Whether longer text finds no more than the shorter one that it continues. */
const narrowsTo = (before: string, now: string) => {
  const later = wordsOf(now);
  return (
    now.startsWith(before) &&
    wordsOf(before).every((word, i) => word.length >= LEAST_OF_ID || (later[i] ?? '').length < LEAST_OF_ID)
  );
};

/** The rows whose text matches; `within`: rows to search. Longer input only narrows the rows of the shorter one. */
function searched({ haystack, size }: Table, filter: RowFilter, within: Uint8Array): Uint8Array {
  const words = wordsOf(filter.search ?? '');
  const name = fold(filter.name?.trim() ?? '');
  const id = fold(filter.id?.trim() ?? '');
  if (words.length === 0 && !name && !id) return within;
  const found = new Uint8Array(size);
  for (let row = 0; row < size; row++) {
    if (within[row] === 0) continue;
    const text = haystack.text(row);
    if (!words.every((word) => isIn(text, word))) continue;
    if (name || id) {
      const end = text.indexOf('\n');
      const at = name ? text.indexOf(name) : 0;
      // The name comes first, so a match after its end is in the id.
      if (at < 0 || at >= end || (id && !text.slice(end + 1, text.indexOf('\n', end + 1)).includes(id))) continue;
    }
    found[row] = 1;
  }
  return found;
}

/** Caches the last search, since filters, facets and the next letter need nearly the same. */
export class Search {
  private readonly table: Table;
  private last: { filter: RowFilter; found: Uint8Array } | undefined;

  /** `before`: the search of an earlier version. Its result is kept if no searched text and no device changed. */
  constructor(table: Table, before?: Search) {
    this.table = table;
    if (before && before.table.haystack === table.haystack && before.table.alive === table.alive)
      this.last = before.last;
  }

  /** The existing rows whose text matches the filter. */
  found(filter: RowFilter): Uint8Array {
    const texts = (of: RowFilter) => [of.search ?? '', of.name ?? '', of.id ?? ''];
    const now = texts(filter);
    const before = this.last && texts(this.last.filter);
    if (this.last && before?.every((text, i) => text === now[i])) return this.last.found;
    const narrows = this.last && before?.every((text, i) => narrowsTo(text, now[i] ?? ''));
    const found = searched(this.table, filter, narrows && this.last ? this.last.found : this.table.alive);
    this.last = { filter, found };
    return found;
  }
}

/** Returns a check whether a row fails the filter by its location, last contact, tags, version or facts. */
function elsewhere(
  { places, columns, ids }: Table,
  { place, seen, tagged, running, having }: RowFilter,
): ((row: number) => boolean) | undefined {
  if (!place && !seen && !tagged && !running && !having) return undefined;
  const wanted = place && PLACE_KINDS[place];
  const times = seen ? columns.get('LastSeenTime') : undefined;
  const range = seenRange(seen);
  const isOther = (time: number) => range !== undefined && !(time >= range[0] && time <= range[1]);
  return (row) =>
    (wanted !== undefined && (places?.kind[row] ?? 0) !== wanted) ||
    (tagged !== undefined && !tagged.has(ids[row] ?? '')) ||
    (running !== undefined && !running.has(ids[row] ?? '')) ||
    (having !== undefined && !having.has(ids[row] ?? '')) ||
    (times instanceof TimeColumn && isOther(times.time(row)));
}

/** Marks the rows that meet the filter, and counts them. */
export function* maskSteps(
  table: Table,
  filter: RowFilter,
  search: Search,
): Generator<void, { mask: Uint8Array; count: number }> {
  const { order, alive, size } = table;
  const found = search.found(filter);
  const dimensions = dimensionsOf(table, filter).filter(({ allowed }) => allowed);
  const isElsewhere = elsewhere(table, filter);
  if (found === alive && dimensions.length === 0 && !isElsewhere) return { mask: alive, count: order.length };
  const mask = new Uint8Array(size);
  let count = 0;
  rows: for (let i = 0; i < order.length; i++) {
    if (i % STEP === 0) yield;
    const row = order[i]!;
    if (found[row] === 0 || isElsewhere?.(row)) continue;
    for (const { codes, allowed } of dimensions) if (allowed![codes[row] ?? ABSENT] === 0) continue rows;
    mask[row] = 1;
    count++;
  }
  return { mask, count };
}

/** The values of some facets with their counts, each facet under the filters of all the others. */
export function* facetSteps(
  table: Table,
  filter: RowFilter,
  search: Search,
  wanted: readonly Facet[] = FACET_NAMES,
): Generator<void, Record<Facet, FacetValue[]>> {
  const { order } = table;
  const found = search.found(filter);
  const dimensions = dimensionsOf(table, filter)
    .filter(({ facet, allowed }) => allowed || wanted.includes(facet))
    .map((dimension) => ({ ...dimension, counts: new Uint32Array(dimension.dictionary.size) }));
  const isElsewhere = elsewhere(table, filter);
  for (let i = 0; i < order.length; i++) {
    if (i % STEP === 0) yield;
    const row = order[i]!;
    if (found[row] === 0 || isElsewhere?.(row)) continue;
    let failed = 0;
    let by: (typeof dimensions)[number] | undefined;
    for (const dimension of dimensions) {
      if (!dimension.allowed || dimension.allowed[dimension.codes[row] ?? ABSENT] === 1) continue;
      failed++;
      by = dimension;
    }
    if (failed === 0) for (const { codes, counts } of dimensions) counts[codes[row] ?? ABSENT]!++;
    else if (failed === 1 && by) by.counts[by.codes[row] ?? ABSENT]!++;
  }
  const lists = Object.fromEntries(FACET_NAMES.map((facet) => [facet, []])) as unknown as Record<Facet, FacetValue[]>;
  for (const { facet, dictionary, counts } of dimensions)
    lists[facet] = valuesOf(dictionary, counts, unlisted(facet, dictionary, filter[facet]));
  return lists;
}

/** The selected values that a facet does not list yet: a tag selected by its id is listed by its name. */
function unlisted(facet: Facet, dictionary: Dictionary<unknown>, chosen: readonly string[] = []): string[] {
  if (facet === 'status')
    return chosen.map((value) => dictionary.texts.find((text) => fold(text) === fold(value)) ?? value);
  if (!(dictionary instanceof TagLists)) return [...chosen];
  const names = new Map(dictionary.lists.flat().map((tag) => [tag.TagId, tagText(tag)]));
  return chosen.map((value) => names.get(value) ?? value);
}

/** Values with a count, and selected ones, in natural order; "none" at the end. */
function valuesOf(dictionary: Dictionary<unknown>, counts: Uint32Array, chosen: string[]): FacetValue[] {
  const byText = new Map(chosen.map((text) => [text, 0]));
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    const tags = dictionary instanceof TagLists && code > EMPTY ? dictionary.lists[code] : undefined;
    // Two tags of the same name count a device once.
    for (const text of tags ? new Set(tags.map(tagText)) : [dictionary.texts[code] ?? ''])
      byText.set(text, (byText.get(text) ?? 0) + counts[code]!);
  }
  const listed = Array.from(byText, ([value, count]) => ({ value, count, key: naturalKey(value) }));
  const isNone = ({ value }: FacetValue) => Number(value === '');
  return listed
    .sort((one, two) => isNone(one) - isNone(two) || (one.key < two.key ? -1 : Number(one.key > two.key)))
    .map(({ value, count }) => ({ value, count }));
}
