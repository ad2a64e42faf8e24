// Output of a program, as text to read: only the rows in view exist, the end is followed until the reader scrolls up,
// and what arrives later never moves what is being read. It knows nothing of where the output comes from.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { CSSProperties, RefObject } from 'react';
import { Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconArrowBarToDown } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatCount } from './format.ts';
import { ansiBefore, ansiReader } from './log-view-ansi.ts';
import { itemAt, layOut, placeOf } from './log-view-items.ts';
import type { IndexedStream, LogBlock, LogStream } from './log-view-items.ts';
import { indexLines, rowText } from './log-view-lines.ts';
import { piecesOf } from './log-view-pieces.ts';
import { LogRow } from './log-view-row.tsx';
import { LogToolbar } from './log-view-toolbar.tsx';
import type { LogLook } from './log-view-toolbar.tsx';
import { useLogSearch } from './log-view-use-search.ts';
import { heightAt, useColumns } from './log-view-heights.ts';
import classes from './log-view.module.css';

/** More rows than any window shows: a row that leaves at one end lends its elements to one that comes at the other. */
const ELEMENTS = 512;
/** Pixels from the end that still count as the end. */
const AT_END = 6;

/** Width of the column of line numbers. */
const digits = (lines: number) => ({ '--log-digits': Math.max(3, String(lines).length) }) as CSSProperties;

interface LogViewProps {
  /** Name of the scrolling region: "Output of camera-7". */
  name: string;
  streams: LogStream[];
  /** Whether more may come. */
  live: boolean;
  /** The one stream that is shown; undefined: all of them. */
  shown: string | undefined;
  onShown: (name: string | undefined) => void;
  /** Name of the file that Download saves. */
  fileName: string;
}

const isCurrent = (indexed: IndexedStream[], streams: LogStream[]) =>
  indexed.length === streams.length &&
  streams.every(
    ({ name, text }, position) => indexed[position]?.stream.name === name && indexed[position].index.text === text,
  );

/** The index of each stream, carried on as its text grows. */
function useIndexed(streams: LogStream[]): IndexedStream[] {
  const [indexed, setIndexed] = useState<IndexedStream[]>([]);
  if (isCurrent(indexed, streams)) return indexed;
  const next = streams.map((stream, position) => {
    const old = indexed[position];
    return { stream, index: indexLines(stream.text, old?.stream.name === stream.name ? old.index : undefined) };
  });
  setIndexed(next);
  return next;
}

/** Ctrl+F within the log goes to its own search: the browser's would find only the rows in view. */
function useFindKey(view: RefObject<HTMLElement | null>, searchBox: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    const element = view.current;
    const find = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      searchBox.current?.select();
    };
    element?.addEventListener('keydown', find);
    return () => element?.removeEventListener('keydown', find);
  }, [view, searchBox]);
}

/** The rows from one place to another, colours carried from row to row. */
function readRows(blocks: LogBlock[], first: number, last: number) {
  let reading: { block: LogBlock; read: ReturnType<typeof ansiReader> } | undefined;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
    const place = first + offset;
    const item = itemAt(blocks, place);
    if (!item || item.row === undefined) return { place, block: item?.block, parts: undefined, number: 0 };
    const { block, row } = item;
    if (reading?.block !== block)
      reading = { block, read: ansiReader(ansiBefore(block.index.text, block.index.starts[row] ?? 0)) };
    return { place, block, parts: reading.read(rowText(block.index, row)), number: block.index.numbers[row] ?? 0 };
  });
}

export function LogView({ name, streams, live, shown, onShown, fileName }: LogViewProps) {
  const [look, setLook] = useLocalStorage<LogLook>({
    key: 'muster-log-look',
    defaultValue: { wrap: globalThis.innerWidth < 640, numbers: true },
    getInitialValueInEffect: false,
  });
  const [follow, setFollow] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const indexed = useIndexed(streams);
  const blocks = useMemo(
    () => layOut(indexed.filter(({ stream }) => shown === undefined || stream.name === shown)),
    [indexed, shown],
  );
  const search = useLogSearch(blocks);
  const count = blocks.reduce((sum, { items }) => sum + items, 0);
  const lines = blocks.reduce((sum, { index }) => sum + index.lines, 0);
  const skipped = blocks.reduce((sum, block) => sum + block.skipped, 0);

  const columns = useColumns(scroller, look, lines);
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (place) => heightAt(blocks, place, columns),
    overscan: 10,
  });

  // Where the reader is: the first row in view and how far it is scrolled out. Read while scrolling, used when the list
  // grows above it.
  const anchor = useRef<{ stream: string; row: number; past: number } | undefined>(undefined);
  const lastTop = useRef(0);
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const up = box.scrollTop < lastTop.current - 1;
    lastTop.current = box.scrollTop;
    if (box.scrollTop + box.clientHeight >= box.scrollHeight - AT_END) setFollow(true);
    else if (up) setFollow(false);
    const first = list.getVirtualItemForOffset(box.scrollTop);
    const item = itemAt(blocks, first?.index ?? -1);
    anchor.current =
      first && item?.row !== undefined
        ? { stream: item.block.stream.name, row: item.row, past: box.scrollTop - first.start }
        : undefined;
  };

  // Where rows wrap, the estimate is right for plain letters; tabs, wide letters and colour codes need a look.
  const measure = look.wrap ? list.measureElement : undefined;
  const wrappedAt = useRef(columns);

  // The list has been drawn anew: follow the end, or put the reader's row back where it was.
  useLayoutEffect(() => {
    const turned = wrappedAt.current !== columns;
    wrappedAt.current = columns;
    if (turned) list.measure();
    if (count === 0) return;
    if (follow) {
      list.scrollToEnd();
      return;
    }
    const block = blocks.find(({ stream }) => stream.name === anchor.current?.stream);
    if (!block || !anchor.current) return;
    const { row, past } = anchor.current;
    const place = placeOf(block, row);
    const offset = (list.getOffsetForIndex(place, 'start')?.[0] ?? 0) + past;
    if (turned) list.scrollToIndex(place, { align: 'start' });
    else if (Math.abs(offset - (list.scrollOffset ?? 0)) > 1) list.scrollToOffset(offset);
  }, [blocks, count, follow, list, columns]);

  const goTo = (place: number | undefined) => {
    if (place === undefined) return;
    setFollow(false);
    list.scrollToIndex(place, { align: 'center' });
  };
  const view = useRef<HTMLElement>(null);
  useFindKey(view, searchBox);

  const items = list.getVirtualItems();
  const first = items[0];
  const rows = readRows(blocks, first?.index ?? 0, items.at(-1)?.index ?? -1);
  const any = streams.some(({ text }) => text !== '');
  return (
    <section ref={view} aria-label={name} className={classes['view']}>
      {any && (
        <LogToolbar
          streams={streams}
          shown={shown}
          onShown={onShown}
          search={search}
          searchRef={searchBox}
          onStep={(by) => goTo(search.step(by, list.range?.startIndex ?? 0))}
          lines={lines}
          look={look}
          onLook={setLook}
          fileName={fileName}
        />
      )}
      {skipped > 0 && (
        <p className={classes['note']}>
          The first {formatCount(skipped)} lines are too many to show here. Download has all of them.
        </p>
      )}
      {count === 0 ? (
        <p className={classes['nothing']} role="status">
          {live ? 'No output yet' : 'No output'}
          {shown !== undefined && any && ` on ${shown}`}
        </p>
      ) : (
        <div className={classes['frame']}>
          <div
            ref={scroller}
            data-log
            role="region"
            aria-label={`${name}, text`}
            tabIndex={0}
            className={classes['scroller']}
            data-wrap={look.wrap || undefined}
            style={digits(lines)}
            onScroll={onScroll}
          >
            <span data-ruler aria-hidden className={classes['ruler']} />
            <div className={classes['canvas']} style={{ height: list.getTotalSize() }}>
              <div className={classes['rows']} style={{ transform: `translateY(${first?.start ?? 0}px)` }}>
                {rows.map(({ place, block, parts, number }) =>
                  parts && block ? (
                    <LogRow
                      key={place % ELEMENTS}
                      ref={measure}
                      place={place}
                      pieces={piecesOf(parts, search.hits.get(place))}
                      number={look.numbers ? number : undefined}
                      error={block.stream.error ?? false}
                    />
                  ) : (
                    <div key={`name-${place}`} ref={measure} data-index={place} className={classes['heading']}>
                      {block?.stream.name}
                    </div>
                  ),
                )}
              </div>
            </div>
          </div>
          {live && !follow && (
            <Button
              size="xs"
              className={classes['follow'] ?? ''}
              leftSection={<IconArrowBarToDown size={16} stroke={1.6} aria-hidden />}
              onClick={() => setFollow(true)}
            >
              Follow
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
