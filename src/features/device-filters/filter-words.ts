// The filter of a page in its URL: the same parameters on the table and on the map, so that a link from one to the other
// keeps them.
import { seenRange } from '#/fleet/seen-range.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { urlSchema, type UrlPart } from '#/ui/url/url-schema.ts';
import { FACT, factOf } from './fact-words.ts';

const TEXTS = { q: 'search', name: 'name', id: 'id' } as const;
/** The filters with values to choose from. A device matches if it has one of them. */
export const VALUES = ['group', 'status', 'tag', 'customer', 'site', 'problem'] as const;
export type ValueName = (typeof VALUES)[number];
/** `no=group`: devices without a group. A separate parameter, since a group can have any name. */
const NONE = 'no';
const SEEN = 'seen';
/** The parameter of the states. It had the values below `status` when Offline included devices that had not connected yet. */
const STATE = 'state';
const paramOf = (name: ValueName) => (name === 'status' ? STATE : name);
/** An artifact, and which version of it: this one, another one, or with `no=version` none. */
const RUNS = ['artifact', 'version', 'other'] as const;
/** Most facts in one filter. */
const MOST_FACTS = 20;
const WORDS: readonly string[] = [...Object.keys(TEXTS), ...VALUES, STATE, NONE, SEEN, ...RUNS];

/** In lower case. Earlier links and saved views have `status`, and `seen=never`. */
function statesOf(params: URLSearchParams): string[] {
  const lower = (name: string) => params.getAll(name).map((value) => value.trim().toLowerCase());
  const earlier = lower('status').flatMap((state) => (state === 'offline' ? [state, 'notconnected'] : [state]));
  return [...lower(STATE), ...earlier, ...(params.get(SEEN) === 'never' ? ['notconnected'] : [])];
}

/** The filter of a URL, in several parameters. */
export const filterPart: UrlPart<RowFilter> = {
  read: (params) => {
    const filter: RowFilter = {};
    for (const [word, name] of Object.entries(TEXTS)) {
      const text = params.get(word)?.trim();
      if (text) filter[name] = text;
    }
    const without = params.getAll(NONE);
    for (const name of VALUES) {
      const given = name === 'status' ? statesOf(params) : params.getAll(name).map((value) => value.trim());
      const values = [...new Set(given.filter(Boolean)), ...(without.includes(name) ? [''] : [])];
      if (values.length > 0) filter[name] = values;
    }
    const seen = params.get(SEEN);
    if (seenRange(seen)) filter.seen = seen ?? undefined;
    const [artifact, version, other] = RUNS.map((word) => params.get(word)?.trim() || undefined);
    if (artifact) filter.runs = { artifact, version, other, none: without.includes('version') };
    const facts = new Map<string, string>();
    for (const [word, value] of params) {
      const name = factOf(word);
      if (name !== undefined && value !== '' && facts.size < MOST_FACTS) facts.set(name, value);
    }
    if (facts.size > 0) filter.facts = Object.fromEntries(facts);
    return filter;
  },
  write: (params, _, filter) => {
    for (const word of WORDS) params.delete(word);
    for (const word of new Set(params.keys())) if (factOf(word) !== undefined) params.delete(word);
    for (const [word, name] of Object.entries(TEXTS)) {
      const text = filter[name]?.trim();
      if (text) params.set(word, text);
    }
    for (const name of VALUES)
      for (const value of filter[name] ?? [])
        if (value === '') params.append(NONE, name);
        else params.append(paramOf(name), value);
    if (filter.seen) params.set(SEEN, filter.seen);
    const { runs } = filter;
    for (const word of RUNS) if (runs?.[word]) params.set(word, runs[word]);
    if (runs?.none) params.append(NONE, 'version');
    for (const name of Object.keys(filter.facts ?? {}).sort()) params.set(FACT + name, filter.facts?.[name] ?? '');
  },
};

const filterUrl = urlSchema({ filter: filterPart });

/** The filter as a query string, for links and keys. */
export const filterWords = (filter: RowFilter): string => filterUrl.change('', { filter });

export const isFiltered = (filter: RowFilter): boolean => Object.keys(filter).length > 0;
