// The search of a log view. It shows the old matches until the new ones arrive, and steps through them.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { LogList } from './log-items.ts';
import { findsIn } from './finds.ts';
import type { Hit } from './pieces.ts';
import { MOST_MATCHES, firstFrom, patternOf, type LogQuery, type Matches } from './log-query.ts';
import { LogSearcher } from './log-searcher.ts';

interface Found {
  query: LogQuery;
  byStream: Map<string, Matches>;
}

export interface LogSearch {
  query: LogQuery;
  setQuery: (query: LogQuery) => void;
  /** How many matches there are; undefined until this query is answered. */
  count: number | undefined;
  /** Whether there may be more than counted. */
  more: boolean;
  /** Why there is no search. */
  problem: string | undefined;
  /** The number of the current match, from 0; -1 before the first step. */
  at: number;
  /** The matches in a row. */
  hitsAt: (stream: string, row: number) => Hit[];
  /** Steps to the next or previous match and returns its list item. `from`: the first item in view. */
  step: (by: 1 | -1, from: number) => number | undefined;
}

const NO_QUERY: LogQuery = { text: '', exact: false, pattern: false };
const PROBLEMS = {
  slow: 'The pattern takes too long',
  unavailable: 'The search did not load; change it to try again',
} as const;

/** The last matches, and why this query has none: it is not a valid pattern yet, or its search failed. */
function useMatches(list: LogList, query: LogQuery): { found: Found; problem: string | undefined } {
  const [found, setFound] = useState<Found>({ query: NO_QUERY, byStream: new Map() });
  const [failed, setFailed] = useState<{ query: LogQuery; why: keyof typeof PROBLEMS }>();
  const searcher = useRef<LogSearcher>(undefined);
  /** The search in progress, and the list that has arrived since: a fast-growing log must not restart it all the time. */
  const asked = useRef<{ query: LogQuery; again: LogList | undefined }>(undefined);

  useEffect(
    () => () => {
      searcher.current?.close();
      searcher.current = undefined;
    },
    [],
  );

  const valid = query.text === '' || patternOf(query) !== undefined;
  const slow = failed?.query === query;
  useEffect(() => {
    if (query.text === '' || !valid || slow) {
      asked.current = undefined;
      return;
    }
    if (asked.current?.query === query) {
      asked.current.again = list;
      return;
    }
    const run = async (wanted: LogList): Promise<void> => {
      const mine = { query, again: undefined as LogList | undefined };
      asked.current = mine;
      const streams = wanted.blocks.map(({ stream }) => stream);
      const outcome = await (searcher.current ??= new LogSearcher()).find(
        streams,
        query,
        wanted.blocks[0]?.index.raw ?? false,
      );
      if (asked.current !== mine) return;
      asked.current = undefined;
      if (outcome === 'replaced') return;
      if (typeof outcome === 'string') {
        setFailed({ query, why: outcome });
        return;
      }
      setFound({ query, byStream: new Map(streams.map(({ name }, nth) => [name, outcome[nth] ?? NOTHING])) });
      if (mine.again) await run(mine.again);
    };
    void run(list);
  }, [list, query, valid, slow]);

  return { found, problem: valid ? (failed && slow ? PROBLEMS[failed.why] : undefined) : 'Not a pattern yet' };
}

export function useLogSearch(list: LogList): LogSearch {
  const [query, setQuery] = useState(NO_QUERY);
  const [current, setCurrent] = useState<{ stream: string; row: number; from: number }>();
  const { found, problem } = useMatches(list, query);
  const isSearched = query.text !== '' && problem === undefined;
  const finds = useMemo(() => findsIn(list, isSearched ? found.byStream : new Map()), [list, found, isSearched]);
  const total = finds.items.length;
  const at = current ? finds.numberOf(current) : -1;

  const step: LogSearch['step'] = (by, from) => {
    if (total === 0 || found.query !== query) return undefined;
    const first = finds.firstFrom(from);
    const next = at >= 0 ? at + by : by > 0 ? first : first - 1;
    const number = (next + total) % total;
    setCurrent(finds.at(number));
    return finds.items[number];
  };
  const hitsAt: LogSearch['hitsAt'] = (stream, row) => {
    const matches = total === 0 ? undefined : found.byStream.get(stream);
    const hits: Hit[] = [];
    if (!matches) return hits;
    for (let nth = firstFrom(matches, row); matches.rows[nth] === row && hits.length < MOST_IN_ROW; nth++) {
      const from = matches.from[nth] ?? 0;
      const is = current?.stream === stream && current.row === row && current.from === from;
      hits.push({ from, to: matches.to[nth] ?? from, current: is });
    }
    return hits;
  };
  return {
    query,
    setQuery,
    count: found.query === query ? total : undefined,
    more: total > 0 && [...found.byStream.values()].some(({ rows }) => rows.length >= MOST_MATCHES),
    problem,
    at,
    hitsAt,
    step,
  };
}

const NOTHING: Matches = { rows: new Uint32Array(), from: new Uint32Array(), to: new Uint32Array() };
/** Nobody can tell more matches in one row apart. */
const MOST_IN_ROW = 200;
