// The state of a log view: its list, the search, following the end, and the lines that a link points to.
import { useEffect, useMemo, useRef, useState } from 'react';
import { rowOfLine } from './lines.ts';
import { logUrl, readMark, type LineMark } from './line-marks.ts';
import {
  grownStream,
  indexStreams,
  layOut,
  type IndexedStream,
  type LogList,
  type LogRun,
  type LogStream,
} from './log-items.ts';
import type { LogQuery } from './log-query.ts';
import type { LogLook } from './log-toolbar.tsx';
import { useLogScroll } from './use-log-scroll.ts';
import { useLogSearch, type LogSearch } from './use-log-search.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';

/** The shown stream and the marked lines, from the URL. */
export function useLogLink(streams: readonly LogStream[]) {
  const [{ log, line }, url] = useUrlState(logUrl);
  const names = streams.map((stream) => stream.name);
  return {
    names,
    shown: names.length > 1 ? names.find((each) => each === log) : undefined,
    line,
    mark: readMark(line, streams),
    set: url.set,
  };
}

interface Reading {
  order: readonly LogRun[] | undefined;
  live: boolean;
  look: LogLook & { raw: boolean };
  link: Pick<ReturnType<typeof useLogLink>, 'shown' | 'line' | 'mark'>;
}

export function useLogReader(streams: readonly LogStream[], { order, live, look, link }: Reading) {
  const { line, mark } = link;
  const { list, grown } = useList(streams, { order, live, look, link });
  const search = useLogSearch(list);
  const lines = list.blocks.reduce((sum, { index }) => sum + index.lines, 0);

  /** How many lines there were when the reader left the end; undefined while following it. */
  const [left, setLeft] = useState<number | undefined>(mark ? Number.POSITIVE_INFINITY : undefined);
  const follow = left === undefined;
  const setFollow = (on: boolean) => setLeft((was) => (on ? undefined : (was ?? lines)));
  // With one stream below the other, the one that grew may not be at the bottom.
  const growing = list.isMixed ? undefined : list.blocks.find(({ stream }) => stream.name === grown);
  const scroll = useLogScroll(list, {
    end: growing ? list.lastOf(growing) : list.count - 1,
    wrap: look.wrap,
    gutter: `${look.numbers} ${String(lines).length}`,
    follow,
    setFollow,
  });
  const arrival = useArrival(indexOfMark(list, mark), line, scroll.goTo);
  const step = useSteps(search, (by) => {
    const index = search.step(by, scroll.seen);
    if (index !== undefined) scroll.goTo(index);
  });
  return {
    ...scroll,
    ...arrival,
    list,
    lines,
    search,
    step,
    follow,
    setFollow,
    /** How many lines have arrived since the reader left the end. */
    fresh: follow ? 0 : Math.max(0, lines - left),
  };
}

export type LogReader = ReturnType<typeof useLogReader>;

/** The list of the shown streams, and which stream grew last. */
function useList(streams: readonly LogStream[], { order, live, look: { raw }, link: { shown } }: Reading) {
  const { indexed, grown } = useIndexed(streams, raw, live);
  const list = useMemo(
    () =>
      layOut(
        indexed.filter(({ stream }) => shown === undefined || stream.name === shown),
        order,
      ),
    [indexed, shown, order],
  );
  return { list, grown };
}

/** The indexed streams and, while the log is live, which one grew last. */
function useIndexed(streams: readonly LogStream[], raw: boolean, live: boolean) {
  const [known, setKnown] = useState<{ indexed: readonly IndexedStream[]; grown: string | undefined }>();
  const indexed = indexStreams(streams, known?.indexed ?? [], raw);
  if (known && indexed === known.indexed) return known;
  const next = { indexed, grown: (known && live ? grownStream(known.indexed, indexed) : undefined) ?? known?.grown };
  setKnown(next);
  return next;
}

/** The item of the first marked line, once it has arrived. */
function indexOfMark(list: LogList, mark: LineMark | undefined): number | undefined {
  const block = list.blocks.find(({ stream }) => stream.name === mark?.stream);
  const row = block && mark && rowOfLine(block.index, mark.from);
  return block && row !== undefined && row >= block.skipped ? list.itemOf(block, row) : undefined;
}

/** Scrolls to the lines of a link once, as soon as they have arrived. */
function useArrival(linked: number | undefined, line: string | undefined, goTo: (index: number) => void) {
  const arrived = useRef<string>(undefined);
  useEffect(() => {
    if (linked === undefined || arrived.current === line) return;
    arrived.current = line;
    goTo(linked);
  });
  return {
    linked,
    /** Prevents scrolling to lines that the reader has just marked. */
    stayAt: (next: string | undefined) => void (arrived.current = next),
  };
}

/** Steps through the matches; a step that is requested before there is an answer waits for it. */
function useSteps({ count, query }: LogSearch, go: (by: 1 | -1) => void): (by: 1 | -1) => void {
  const asked = useRef<{ query: LogQuery; by: 1 | -1 }>(undefined);
  const answered = count !== undefined;
  const step = (by: 1 | -1) => {
    asked.current = answered ? undefined : { query, by };
    go(by);
  };
  useEffect(() => {
    if (answered && asked.current?.query === query) step(asked.current.by);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the answer arrives
  }, [answered]);
  return step;
}
