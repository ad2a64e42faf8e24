// The search of a log view: keeps the old finds until the new ones are there, and steps through them.
import { useEffect, useMemo, useRef, useState } from 'react';
import { itemAt, placeOf } from './log-items.ts';
import type { LogBlock } from './log-items.ts';
import type { Hit } from './pieces.ts';
import { MOST_MATCHES, firstFrom, patternOf } from './log-query.ts';
import type { LogQuery, Matches } from './log-query.ts';
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
  /** Goes to the next or previous find; gives its place in the list. `from`: the place the reader looks at. */
  step: (by: 1 | -1, from: number) => number | undefined;
}

const NO_QUERY: LogQuery = { text: '', exact: false, pattern: false };
const PROBLEMS = {
  slow: 'The pattern takes too long',
  unavailable: 'The search could not be loaded; change it to try again',
} as const;

/** A stretch of the finds that belongs to one stream. */
interface Stretch {
  block: LogBlock;
  matches: Matches;
  /** Number of its first find that can be shown, among its own and among all. */
  first: number;
  start: number;
  count: number;
}

export function useLogSearch(blocks: readonly LogBlock[]): LogSearch {
  const [query, setQuery] = useState(NO_QUERY);
  const [found, setFound] = useState<Found>({ query: NO_QUERY, byStream: new Map() });
  const [failed, setFailed] = useState<{ query: LogQuery; why: keyof typeof PROBLEMS }>();
  const [current, setCurrent] = useState<{ stream: string; row: number; from: number }>();
  const searcher = useRef<LogSearcher>(undefined);
  /** What is being searched, and what came since: a log that grows fast must not begin its search again and again. */
  const asked = useRef<{ query: LogQuery; again: readonly LogBlock[] | undefined }>(undefined);

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
      asked.current.again = blocks;
      return;
    }
    const run = async (wanted: readonly LogBlock[]): Promise<void> => {
      const mine = { query, again: undefined as readonly LogBlock[] | undefined };
      asked.current = mine;
      const streams = wanted.map(({ stream }) => stream);
      const outcome = await (searcher.current ??= new LogSearcher()).find(
        streams,
        query,
        wanted[0]?.index.raw ?? false,
      );
      if (asked.current !== mine) return;
      asked.current = undefined;
      if (outcome === 'replaced') return;
      if (typeof outcome === 'string') {
        setFailed({ query, why: outcome });
        return;
      }
      setFound({ query, byStream: new Map(streams.map(({ name }, place) => [name, outcome[place] ?? NOTHING])) });
      if (mine.again) await run(mine.again);
    };
    void run(blocks);
  }, [blocks, query, valid, slow]);

  const stretches = useMemo(() => {
    let start = 0;
    if (query.text === '' || !valid || slow) return [];
    return blocks.flatMap((block): Stretch[] => {
      const matches = found.byStream.get(block.stream.name);
      if (!matches) return [];
      const first = firstFrom(matches, block.skipped);
      const stretch = { block, matches, first, start, count: matches.rows.length - first };
      start += stretch.count;
      return [stretch];
    });
  }, [blocks, found, query, valid, slow]);
  const total = stretches.reduce((sum, { count }) => sum + count, 0);
  const own = stretches.find(({ block }) => block.stream.name === current?.stream);
  const at = own && current ? numberOf(own, current) : -1;

  const step: LogSearch['step'] = (by, from) => {
    if (total === 0 || found.query !== query) return undefined;
    const item = itemAt(blocks, from);
    const here = stretches.find(({ block }) => block === item?.block);
    const first = here ? here.start + firstFrom(here.matches, item?.row ?? 0) - here.first : 0;
    const next = at >= 0 ? at + by : by > 0 ? first : first - 1;
    const number = (next + total) % total;
    const stretch = stretches.find(({ start, count }) => number >= start && number < start + count);
    if (!stretch) return undefined;
    const place = number - stretch.start + stretch.first;
    const row = stretch.matches.rows[place] ?? 0;
    setCurrent({ stream: stretch.block.stream.name, row, from: stretch.matches.from[place] ?? 0 });
    return placeOf(stretch.block, row);
  };
  const hitsAt: LogSearch['hitsAt'] = (stream, row) => {
    const matches = stretches.find(({ block }) => block.stream.name === stream)?.matches;
    const hits: Hit[] = [];
    if (!matches) return hits;
    for (let place = firstFrom(matches, row); matches.rows[place] === row && hits.length < MOST_IN_ROW; place++) {
      const from = matches.from[place] ?? 0;
      const is = current?.stream === stream && current.row === row && current.from === from;
      hits.push({ from, to: matches.to[place] ?? from, current: is });
    }
    return hits;
  };
  return {
    query,
    setQuery,
    count: found.query === query ? total : undefined,
    more: stretches.some(({ matches }) => matches.rows.length >= MOST_MATCHES),
    problem: valid ? (failed && slow ? PROBLEMS[failed.why] : undefined) : 'Not a pattern yet',
    at,
    hitsAt,
    step,
  };
}

const NOTHING: Matches = { rows: new Uint32Array(), from: new Uint32Array(), to: new Uint32Array() };
/** A row of two thousand letters may hold as many finds; nobody tells them apart. */
const MOST_IN_ROW = 200;

/** Which of all finds this is; -1 where it is none of them any more. */
function numberOf({ matches, first, start }: Stretch, { row, from }: { row: number; from: number }): number {
  for (let place = firstFrom(matches, row); matches.rows[place] === row; place++)
    if (matches.from[place] === from) return place < first ? -1 : start + place - first;
  return -1;
}
