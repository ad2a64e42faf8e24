// Output of a program, as text to read: only the rows in view exist, the end is followed until the reader scrolls up,
// and what arrives later never moves what is being read. It knows nothing of where the output comes from.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ClipboardEvent, CSSProperties } from 'react';
import { Button } from '@mantine/core';
import { IconArrowBarToDown } from '@tabler/icons-react';
import * as z from 'zod/mini';
import { copyText } from '#/ui/controls/copy-text.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { layOut } from './log-items.ts';
import type { IndexedStream, LogList, LogRun, LogStream } from './log-items.ts';
import { useLogKeys } from './use-log-keys.ts';
import { indexLines, rowOfLine } from './lines.ts';
import { logUrl, markText, markedBy, printMark, readMark } from './line-marks.ts';
import type { LineMark } from './line-marks.ts';
import { piecesOf } from './pieces.ts';
import type { LogQuery } from './log-query.ts';
import { gathered, plainLog, plainParts } from './plain.ts';
import { LogRow } from './log-row.tsx';
import { readRows } from './read-rows.ts';
import { LogToolbar } from './log-toolbar.tsx';
import { useLogScroll } from './use-log-scroll.ts';
import { useLogSearch } from './use-log-search.ts';
import { saveFile } from '#/lib/save-file.ts';
import { json, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import classes from './log-view.module.css';

/** More rows than any window shows: a row that leaves at one end lends its elements to one that comes at the other. */
const ELEMENTS = 512;
/** How long it is said what was copied. */
const SAID = 2_500;

const logLook = stored(
  'muster-log-look',
  { wrap: globalThis.innerWidth < 640, numbers: true },
  json(z.object({ wrap: z.boolean(), numbers: z.boolean() })),
);

/** Width of the column of line numbers. */
const digits = (lines: number) => ({ '--log-digits': Math.max(3, String(lines).length) }) as CSSProperties;
const linesText = (lines: number) => counted(lines, 'line');

interface LogViewProps {
  /** Name of the scrolling region: "Output of camera-7". */
  name: string;
  streams: LogStream[];
  /** In which order they arrived; undefined where nobody knows. */
  order?: readonly LogRun[] | undefined;
  /** Whether more may come. */
  live: boolean;
  /** How much is here of what there is, while it is being fetched: "3 of 10 MB". */
  fetched?: string | undefined;
  /** Name of the file that Download saves. */
  fileName: string;
}

/** The index of each stream, carried on as its text grows. */
function useIndexed(streams: LogStream[], raw: boolean): IndexedStream[] {
  const [indexed, setIndexed] = useState<IndexedStream[]>([]);
  const isCurrent =
    indexed.length === streams.length &&
    streams.every(({ name, pieces }, position) => {
      const { stream, index } = indexed[position] ?? {};
      return stream?.name === name && stream.pieces === pieces && index?.raw === raw;
    });
  if (isCurrent) return indexed;
  const next = streams.map((stream, position) => {
    const old = indexed[position];
    return {
      stream,
      index: indexLines(stream.pieces, old?.stream.name === stream.name ? old.index : undefined, raw),
    };
  });
  setIndexed(next);
  return next;
}

/** The stream that something came of last, the lower one of two; undefined before anything did. */
function useGrown(indexed: IndexedStream[], live: boolean): string | undefined {
  const [seen, setSeen] = useState<{ indexed: IndexedStream[]; grown: string | undefined }>({
    indexed,
    grown: undefined,
  });
  if (seen.indexed === indexed) return seen.grown;
  const longer = indexed.findLast(({ stream, index }) => {
    const before = seen.indexed.find((each) => each.stream.name === stream.name);
    return index.text.length > (before?.index.text.length ?? 0);
  });
  const grown = (live ? longer?.stream.name : undefined) ?? seen.grown;
  setSeen({ indexed, grown });
  return grown;
}

/** A sentence that is said for a moment. */
function useSaid(): [string, (text: string) => void] {
  const [said, say] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => say(''), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  return [said, say];
}

/** The place of the first line of a mark; undefined while it is not there. */
function placeOfMark(list: LogList, mark: LineMark | undefined): number | undefined {
  const block = list.blocks.find(({ stream }) => stream.name === mark?.stream);
  const row = block && mark && rowOfLine(block.index, mark.from);
  return block && row !== undefined && row >= block.skipped ? list.placeOf(block, row) : undefined;
}

function markedParts({ blocks }: LogList, { stream: name, from, to }: LineMark): Iterable<string> {
  const index = blocks.find(({ stream }) => stream.name === name)?.index;
  if (!index) return [];
  return plainParts(index, rowOfLine(index, from) ?? index.rows, rowOfLine(index, to + 1) ?? index.rows);
}

export function LogView({ name, streams, order, live, fetched, fileName }: LogViewProps) {
  const [linkTo, url] = useUrlState(logUrl);
  const look = useStore(logLook);
  const [raw, setRaw] = useState(false);
  const [said, say] = useSaid();
  const names = streams.map((stream) => stream.name);
  const shown = names.length > 1 ? names.find((each) => each === linkTo.log) : undefined;
  const mark = readMark(linkTo.line, streams);

  const indexed = useIndexed(streams, raw);
  const grown = useGrown(indexed, live);
  const list = useMemo(
    () =>
      layOut(
        indexed.filter(({ stream }) => shown === undefined || stream.name === shown),
        order,
      ),
    [indexed, shown, order],
  );
  const search = useLogSearch(list);
  const { blocks, count } = list;
  const lines = blocks.reduce((sum, { index }) => sum + index.lines, 0);
  const skipped = blocks.reduce((sum, block) => sum + block.skipped, 0);

  /** How many lines there were when the reader left the end; undefined while it is followed. */
  const [left, setLeft] = useState<number | undefined>(mark ? Number.POSITIVE_INFINITY : undefined);
  const follow = left === undefined;
  const setFollow = (on: boolean) => setLeft((was) => (on ? undefined : (was ?? lines)));
  const fresh = follow ? 0 : Math.max(0, lines - left);
  // One stream below the other: what grew need not be at the bottom.
  const growing = list.isMixed ? undefined : blocks.find(({ stream }) => stream.name === grown);
  const { scroller, layout, onScroll, first, last, seen, goTo } = useLogScroll(list, {
    end: growing ? list.lastOf(growing) : count - 1,
    wrap: look.wrap,
    gutter: `${look.numbers} ${String(lines).length}`,
    follow,
    setFollow,
  });

  // A link leads to its lines once, as soon as they are there.
  const arrived = useRef<string>(undefined);
  const linked = placeOfMark(list, mark);
  useEffect(() => {
    if (linked === undefined || arrived.current === linkTo.line) return;
    arrived.current = linkTo.line;
    goTo(linked);
  });

  const markLines = (next: LineMark | undefined) => {
    const line = next && printMark(next, streams);
    arrived.current = line;
    url.set({ line });
    if (!next) return;
    const link = new URL(globalThis.location.href);
    link.search = logUrl.change(link.search, { line });
    void copyText(link.href).then((done) =>
      say(done ? `Link to ${markText(next).toLowerCase()} copied` : 'The link is in the address bar'),
    );
  };
  const copy = async () => {
    const parts = await gathered(mark ? markedParts(list, mark) : plainLog(list));
    say((await copyText(parts.join(''))) ? 'Copied' : 'The browser refused to copy');
  };
  const download = async () => {
    saveFile(
      raw ? fileName.replace(/\.log$/, '.raw.log') : fileName,
      await gathered(plainLog(list)),
      'text/plain;charset=utf-8',
    );
  };
  /** Select all and copy means all of it, not the rows that happen to be drawn. */
  const copySelected = (event: ClipboardEvent) => {
    const selection = globalThis.getSelection();
    const canvas = scroller.current?.querySelector('[data-canvas]');
    const all = canvas && selection?.containsNode(canvas, false);
    if (!all && !(selection?.isCollapsed && mark)) return;
    event.preventDefault();
    void copy();
  };

  const view = useRef<HTMLElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  /** A step that was asked for before there was an answer. */
  const asked = useRef<{ query: LogQuery; by: 1 | -1 }>(undefined);
  const step = (by: 1 | -1) => {
    asked.current = search.count === undefined ? { query: search.query, by } : undefined;
    const place = search.step(by, seen);
    if (place !== undefined) goTo(place);
  };
  const answered = search.count !== undefined;
  useEffect(() => {
    if (answered && asked.current?.query === search.query) step(asked.current.by);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the answer comes
  }, [answered]);
  const rows = readRows(list, first, last);
  useLogKeys(view, {
    '/': () => searchBox.current?.select(),
    n: () => step(1),
    N: () => step(-1),
    g: () => goTo(list.headings.length > 0 ? 1 : 0),
    G: () => setFollow(true),
    w: () => logLook.set({ ...look, wrap: !look.wrap }),
    f: () => setFollow(!follow),
    l: () => {
      const row = rows.find(({ place, number }) => place >= seen && number > 0);
      if (row) markLines({ stream: row.block.stream.name, from: row.number, to: row.number });
    },
  });

  const any = streams.some(({ pieces }) => pieces.some((piece) => piece !== ''));
  return (
    <section ref={view} aria-label={name} className={classes.view}>
      {any && (
        <LogToolbar
          names={names}
          shown={shown}
          onShown={(log) => url.set({ log })}
          search={search}
          searchRef={searchBox}
          onStep={step}
          onLeave={() => scroller.current?.focus()}
          about={fetched ?? linesText(lines)}
          said={said}
          look={look}
          onLook={logLook.set}
          raw={raw}
          onRaw={setRaw}
          copied={mark && linked !== undefined ? markText(mark).toLowerCase() : 'the output'}
          onCopy={() => void copy()}
          onDownload={() => void download()}
        />
      )}
      {skipped > 0 && (
        <p className={classes.note}>
          The first {formatCount(skipped)} lines are too many to show here. Download has all of them.
        </p>
      )}
      {mark && linked === undefined && count > 0 && (
        <p className={classes.note} role="status">
          {markText(mark)} {mark.to > mark.from ? 'are' : 'is'} not in this output{live ? ' yet' : ''}.
        </p>
      )}
      {count === 0 ? (
        <p className={classes.nothing} role="status">
          {live ? 'No output yet' : 'No output'}
          {shown !== undefined && any && ` on ${shown}`}
        </p>
      ) : (
        <div className={classes.frame}>
          <div
            ref={scroller}
            data-log
            role="region"
            aria-label={`${name}, text`}
            // Thousands of lines may come in a second.
            aria-live="off"
            tabIndex={0}
            className={classes.scroller}
            data-wrap={look.wrap || undefined}
            style={digits(lines)}
            onScroll={onScroll}
            onCopy={copySelected}
          >
            <span data-ruler aria-hidden className={classes.ruler} />
            <div data-canvas className={classes.canvas} style={{ height: layout.total }}>
              <div className={classes.rows} style={{ transform: `translateY(${layout.topOf(first)}px)` }}>
                {rows.map(({ place, block, row, parts, number, line }) =>
                  row === undefined ? (
                    <div key={`name-${place}`} className={classes.heading}>
                      {block.stream.name}
                      {block.position > 0 && <span> · order of arrival not known</span>}
                    </div>
                  ) : (
                    <LogRow
                      key={place % ELEMENTS}
                      place={place}
                      pieces={piecesOf(parts, search.hitsAt(block.stream.name, row))}
                      number={look.numbers ? number : undefined}
                      error={block.stream.error ?? false}
                      marked={mark?.stream === block.stream.name && line >= mark.from && line <= mark.to}
                      onLine={(at, shift) => markLines(markedBy({ stream: block.stream.name, line: at, shift }, mark))}
                    />
                  ),
                )}
              </div>
            </div>
          </div>
          {live && !follow && (
            <Button
              size="xs"
              className={classes.follow}
              leftSection={<IconArrowBarToDown size={16} stroke={1.6} aria-hidden />}
              aria-label={fresh > 0 ? `Follow: ${formatCount(fresh)} new ${fresh === 1 ? 'line' : 'lines'}` : 'Follow'}
              title="Follow the end (f)"
              onClick={() => setFollow(true)}
            >
              {fresh > 0 ? `${formatCount(fresh)} new ${fresh === 1 ? 'line' : 'lines'}` : 'Follow'}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
