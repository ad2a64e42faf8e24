// The search of a log view: runs beside the page, keeps the old finds until the new ones are there, steps through them.
import { useEffect, useMemo, useState } from 'react';
import { placeOf } from './log-view-items.ts';
import type { LogBlock } from './log-view-items.ts';
import type { Hit } from './log-view-pieces.ts';
import { searchLines } from './log-view-search.ts';
import type { Match } from './log-view-search.ts';

interface Found {
  query: string;
  /** In the order of the list. */
  matches: (Match & { stream: string })[];
}

export interface LogSearch {
  query: string;
  setQuery: (query: string) => void;
  /** How many were found; undefined while there is no answer for this query. */
  count: number | undefined;
  /** Which of them the reader is at, from 0; -1 before the first step. */
  at: number;
  /** Where in the list the finds are, row by row. */
  hits: Map<number, Hit[]>;
  /** Goes to the next or previous find; gives its place in the list. `from`: the place the reader looks at. */
  step: (by: 1 | -1, from: number) => number | undefined;
}

export function useLogSearch(blocks: LogBlock[]): LogSearch {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Found>({ query: '', matches: [] });
  const [current, setCurrent] = useState<{ stream: string; row: number; from: number }>();

  // A search of megabytes takes its time: it is an outside process to start and call off.
  useEffect(() => {
    if (query === '') return;
    const stop = new AbortController();
    const run = async () => {
      const matches: Found['matches'] = [];
      for (const { stream, index, skipped } of blocks)
        for (const match of (await searchLines(index, query, stop.signal)) ?? [])
          if (match.row >= skipped) matches.push({ ...match, stream: stream.name });
      if (!stop.signal.aborted) setFound({ query, matches });
    };
    void run();
    return () => stop.abort();
  }, [blocks, query]);

  const matches = useMemo(() => (query === '' ? [] : found.matches), [query, found]);
  const at = matches.findIndex(
    ({ stream, row, from }) => stream === current?.stream && row === current.row && from === current.from,
  );
  const places = useMemo(() => {
    const byName = new Map(blocks.map((block) => [block.stream.name, block]));
    return matches.map(({ stream, row }) => {
      const block = byName.get(stream);
      return block ? placeOf(block, row) : -1;
    });
  }, [blocks, matches]);
  const hits = useMemo(() => {
    const byPlace = new Map<number, Hit[]>();
    for (const [position, { from, to }] of matches.entries()) {
      const place = places[position] ?? -1;
      const hit = { from, to, current: position === at };
      const inRow = byPlace.get(place);
      if (inRow) inRow.push(hit);
      else byPlace.set(place, [hit]);
    }
    return byPlace;
  }, [matches, places, at]);

  const step: LogSearch['step'] = (by, from) => {
    if (matches.length === 0) return undefined;
    const first = places.findIndex((place) => place >= from);
    const next = at >= 0 ? at + by : by > 0 ? Math.max(0, first) : (first < 0 ? matches.length : first) - 1;
    const position = (next + matches.length) % matches.length;
    const match = matches[position];
    if (match) setCurrent({ stream: match.stream, row: match.row, from: match.from });
    return places[position];
  };
  return { query, setQuery, count: found.query === query ? matches.length : undefined, at, hits, step };
}
