// Which rows of a log are rendered, following its end, and the reader's position, which stays the same when rows are added,
// turn out higher or wrap differently.
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { LogList } from './log-items.ts';
import { layoutOf, type LogLayout, type Measured } from './log-layout.ts';

/** Rows to render above and below the view. */
const MARGIN = 12;
/** Pixels from the end that still count as the end. */
const AT_END = 6;
const TEXT_PADDING = 16;

export interface LogScroll {
  scroller: RefObject<HTMLDivElement | null>;
  layout: LogLayout;
  onScroll: () => void;
  /** The first and last rendered item, and the first one in view. */
  first: number;
  last: number;
  seen: number;
  /** Scrolls a row to the middle of the view. */
  goTo: (item: number) => void;
}

interface Asked {
  /** The item of the last row that arrived, which is followed. */
  end: number;
  wrap: boolean;
  /** Changes whenever the width of the gutter may. */
  gutter: string;
  follow: boolean;
  setFollow: (follow: boolean) => void;
}

/** How many characters fit beside the gutter; 0 without wrapping, and until it is measured. */
function useColumns(scroller: RefObject<HTMLElement | null>, wrap: boolean, gutter: string, empty: boolean): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    const box = scroller.current;
    const ruler = box?.querySelector('[data-ruler]');
    if (!wrap || !box || !ruler) return;
    const look = () => {
      const text = box.querySelector('[data-text]');
      const { width } = ruler.getBoundingClientRect();
      if (text && width > 0) setColumns(Math.max(8, Math.floor((text.clientWidth - TEXT_PADDING) / (width / 100))));
    };
    look();
    // The ruler changes when the font has loaded.
    const observer = new ResizeObserver(look);
    for (const element of [box, ruler]) observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, wrap, gutter, empty]);
  return wrap ? columns : 0;
}

/** The layout: estimated and, where rows wrap, corrected once they are rendered. */
function useLayout(
  list: LogList,
  scroller: RefObject<HTMLElement | null>,
  { wrap, gutter }: Asked,
): { layout: LogLayout; measure: () => void } {
  const [known, setKnown] = useState<{ of: string; measured: Measured }>({ of: '', measured: new Map() });
  const columns = useColumns(scroller, wrap, gutter, list.count === 0);
  const raw = list.blocks[0]?.index.raw ?? false;
  const of = `${columns} ${raw}`;
  const measured = useMemo((): Measured => (known.of === of ? known.measured : new Map()), [known, of]);
  const layout = useMemo(() => layoutOf(list, columns, measured), [list, columns, measured]);
  // The estimate does not know where words break.
  const measure = () => {
    if (columns === 0) return;
    let next: Measured | undefined;
    for (const row of scroller.current?.querySelectorAll<HTMLElement>('[data-index]') ?? []) {
      const item = Number(row.dataset['index']);
      const name = list.blockAt(item)?.stream.name;
      const number = list.rowAt(item);
      const height = row.offsetHeight;
      if (name === undefined || number < 0 || height === 0 || height === layout.heightOf(item)) continue;
      next ??= new Map(Array.from(measured, ([each, rows]) => [each, new Map(rows)]));
      next.set(name, (next.get(name) ?? new Map<number, number>()).set(number, height));
    }
    if (next) setKnown({ of, measured: next });
  };
  return { layout, measure };
}

interface View {
  top: number;
  height: number;
}

/** The part of the log that is in view. */
function useView(scroller: RefObject<HTMLElement | null>, empty: boolean): [View, (view: View) => void] {
  const [view, setView] = useState<View>({ top: 0, height: 600 });
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const observer = new ResizeObserver(() =>
      setView((was) => (was.height === box.clientHeight ? was : { top: box.scrollTop, height: box.clientHeight })),
    );
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller, empty]);
  return [view, setView];
}

interface Reader {
  /** The last scroll position. */
  top: number;
  /** The row at the top of the view, and how far it is scrolled out of it. */
  anchor?: { stream: string; row: number; past: number } | undefined;
}

export function useLogScroll(list: LogList, asked: Asked): LogScroll {
  const { end, follow, setFollow } = asked;
  const { blocks, count } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const reader = useRef<Reader>({ top: 0 });
  const [view, setView] = useView(scroller, count === 0);
  const { layout, measure } = useLayout(list, scroller, asked);

  const moved = (top: number) => {
    const height = scroller.current?.clientHeight ?? view.height;
    reader.current.top = top;
    if (Math.abs(top - view.top) > 0.5 || height !== view.height) setView({ top, height });
  };
  /** The scroll position that follows the end. */
  const followedTop = (height: number) => Math.max(0, layout.topOf(end) + layout.heightOf(end) - height);
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const { scrollTop: top, clientHeight, scrollHeight } = box;
    const up = top < reader.current.top - 1;
    const isLast = end >= count - 1;
    const followed = isLast ? scrollHeight - clientHeight : followedTop(clientHeight);
    if (Math.abs(top - followed) <= AT_END) setFollow(true);
    // Below the followed end there is another stream to read.
    else if (up || (!isLast && top > reader.current.top + 1)) setFollow(false);
    const item = layout.itemAt(top);
    const stream = list.blockAt(item)?.stream.name;
    const row = list.rowAt(item);
    reader.current.anchor =
      stream === undefined || row < 0 ? undefined : { stream, row, past: top - layout.topOf(item) };
    moved(top);
  };
  const scrollTo = (top: number) => {
    const box = scroller.current;
    if (!box) return;
    if (Math.abs(box.scrollTop - top) > 0.5) box.scrollTop = top;
    moved(box.scrollTop);
  };

  // After a new layout, follow the end or restore the position of the reader's row.
  useLayoutEffect(() => {
    if (count === 0) return;
    if (follow) {
      scrollTo(end >= count - 1 ? layout.total : followedTop(scroller.current?.clientHeight ?? view.height));
      return;
    }
    const { stream, row, past } = reader.current.anchor ?? {};
    const block = blocks.find((each) => each.stream.name === stream);
    if (block && row !== undefined && past !== undefined) scrollTo(layout.topOf(list.itemOf(block, row)) + past);
    // oxlint-disable-next-line react/exhaustive-deps -- only a new layout, or starting to follow, moves the view
  }, [layout, follow, end]);

  const first = Math.max(0, layout.itemAt(view.top) - MARGIN);
  const last = Math.min(count - 1, layout.itemAt(view.top + view.height) + MARGIN);

  useLayoutEffect(() => {
    measure();
    // oxlint-disable-next-line react/exhaustive-deps -- `layout` changes with all that `measure` reads
  }, [layout, first, last]);

  const goTo = (item: number) => {
    const stream = list.blockAt(item)?.stream.name;
    const row = list.rowAt(item);
    if (stream === undefined || row < 0) return;
    const past = (layout.heightOf(item) - (scroller.current?.clientHeight ?? view.height)) / 2;
    setFollow(false);
    scrollTo(Math.max(0, layout.topOf(item) + past));
    reader.current.anchor = { stream, row, past };
  };
  return { scroller, layout, onScroll, first, last, seen: layout.itemAt(view.top), goTo };
}
