// A name in the room that there is, cut in its middle. All of it stays in the document as text in a line, the hidden part
// without size: what is copied, searched for in the page and read by screen readers is the whole name. (Two boxes side by
// side, the usual way, are copied as two lines and read with a space between them.)
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cutMiddle, type CutText } from './cut-middle.ts';
import { forgetWidths, sumOf, widthOf } from './text-width.ts';
import classes from './middle-ellipsis.module.css';

interface Cut extends CutText {
  text: string;
  room: Room;
  /** Pixels that the whole text would take. The box goes on asking for them, to grow again when there is room. */
  width: number;
}

interface Room {
  width: number;
  font: string;
}

/** Shorter ones would lose nothing worth the "…". */
const LEAST_LENGTH = 7;
/** Letters that move together make a text of Inter at most this much narrower than their sum. */
const LEAST_PART = 0.95;

function cutOf(text: string, room: Room): Cut | undefined {
  const { width: most, font } = room;
  const width = sumOf(text, font);
  // The layout rounds to 64ths of a pixel.
  if (width <= most || (width * LEAST_PART <= most && widthOf(text, font) <= most + 0.1)) return undefined;
  // With a width of its own "…" is no ASCII.
  const left = most - widthOf('…', font);
  return { ...cutMiddle(text, (head, tail) => sumOf(head, font) + sumOf(tail, font) <= left), text, room, width };
}

/** Rooms of columns whose names have all the same, as they were last. */
const lastRooms = new Map<string, Room>();

type Refit = (width: number) => void;
const refits = new Map<Element, Refit>();

// One for all, as long rows come and go while a table is scrolled. It is called after the layout and before the paint: no
// name is seen uncut, and no layout is computed only to measure.
let shared: ResizeObserver | undefined;
const observer = () =>
  (shared ??= new ResizeObserver((entries) =>
    flushSync(() => {
      for (const { target, contentRect } of entries) refits.get(target)?.(contentRect.width);
    }),
  ));

if (typeof document !== 'undefined')
  document.fonts.addEventListener('loadingdone', () => {
    forgetWidths();
    lastRooms.clear();
    for (const [element, refit] of refits) refit(element.getBoundingClientRect().width);
  });

interface MiddleEllipsisProps {
  text: string;
  className?: string | undefined;
  /** Name of a long column: a row that is scrolled into view takes the room of the others until it has its own. */
  column?: string;
}

export function MiddleEllipsis({ text, className = '', column }: MiddleEllipsisProps) {
  const box = useRef<HTMLElement>(null);
  const [last, setCut] = useState(() => {
    const room = column === undefined ? undefined : lastRooms.get(column);
    return room && text.length >= LEAST_LENGTH ? cutOf(text, room) : undefined;
  });
  const cut = last?.text === text ? last : undefined;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || text.length < LEAST_LENGTH) return;
    refits.set(element, (width) =>
      setCut((before) => {
        if (before?.text === text && before.room.width === width) return before;
        const room = roomOf(element, width);
        const next = room && cutOf(text, room);
        if (next && column !== undefined) lastRooms.set(column, next.room);
        return next;
      }),
    );
    observer().observe(element);
    return () => {
      refits.delete(element);
      observer().unobserve(element);
    };
  }, [text, column]);
  return (
    <bdi
      ref={box}
      className={`${classes.text} ${className}`}
      {...(cut && { title: text, style: { width: Math.ceil(cut.width) } })}
    >
      {cut ? cut.head : text}
      {cut && (
        <>
          <span className={classes.middle}>
            <span className={classes.hidden}>{cut.middle}</span>
          </span>
          {cut.tail}
        </>
      )}
    </bdi>
  );
}

/** Undefined where names have as many lines as they need, as on narrow screens. */
function roomOf(element: Element, width: number): Room | undefined {
  const { fontStyle, fontWeight, fontSize, fontFamily, whiteSpace } = getComputedStyle(element);
  if (width === 0 || !whiteSpace.includes('nowrap')) return undefined;
  // The shorthand is empty where features of the font are set, as they are in all of ours.
  return { width, font: `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}` };
}
