// The search of a log view: shows the old finds until the new ones are there, and steps through them.
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
  /** How many were found; undefined while there is no answer for this query. */
  count: number | undefined;
  /** Whether there may be more than are counted. */
  more: boolean;
  /** Why nothing is looked for. */
  problem: string | undefined;
  /** Which of them the reader is at, from 0; -1 before the first step. */
  at: number;
  /** The finds in a row. */
  hitsAt: (stream: string, row: number) => Hit[];
  /** Goes to the next or previous find; returns its index in the list. `from`: the row the reader looks at. */
  step: (by: 1 | -1, from: number) => number | undefined;
}

const NO_QUERY: LogQuery = { text: '', exact: false, pattern: false };
const PROBLEMS = {
  slow: 'The pattern takes too long',
  unavailable: 'The search could not be loaded; change it to try again',
} as const;

/** The last finds, and why there are none for this query: it is no pattern yet, or its search failed. */
function useMatches(list: LogList, query: LogQuery): { found: Found; problem: string | undefined } {
  const [found, setFound] = useState<Found>({ query: NO_QUERY, byStream: new Map() });
  const [failed, setFailed] = useState<{ query: LogQuery; why: keyof typeof PROBLEMS }>();
  const searcher = useRef<LogSearcher>(undefined);
  /**
   * What is being searched, and what arrived since: a log that grows fast must not begin its search again and again.
   */
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
/** A row of two thousand letters may contain as many finds, which nobody can distinguish. */
const MOST_IN_ROW = 200;
