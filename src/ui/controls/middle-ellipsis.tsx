// A name that is shortened in the middle to fit its box. The hidden part stays in the text with a font size of 0, so that
// copying, find-in-page and screen readers get the full name. (The usual two boxes side by side are copied as two lines
// and read with a space between them.)
import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cutMiddle, type CutText } from './cut-middle.ts';
import { forgetWidths, sumOf, widthOf } from './text-width.ts';
import classes from './middle-ellipsis.module.css';

interface Cut extends CutText {
  text: string;
  room: Room;
  /** The width of the full text in pixels. The box keeps asking for it, so that it grows when there is room. */
  width: number;
}

interface Room {
  width: number;
  font: string;
}

/** Shorter names are not worth an ellipsis. */
const LEAST_LENGTH = 7;
/** With kerning, text in Inter is at least this share of the sum of its letters. */
const LEAST_PART = 0.95;

function cutOf(text: string, room: Room): Cut | undefined {
  const { width: most, font } = room;
  const width = sumOf(text, font);
  // Layout rounds to 64ths of a pixel.
  if (width <= most || (width * LEAST_PART <= most && widthOf(text, font) <= most + 0.1)) return undefined;
  const left = most - widthOf('…', font);
  return { ...cutMiddle(text, (head, tail) => sumOf(head, font) + sumOf(tail, font) <= left), text, room, width };
}

/** The last known room of each column, in which all names have the same. */
const lastRooms = new Map<string, Room>();

type Refit = (width: number) => void;
const refits = new Map<Element, Refit>();

// One observer for all names, because rows come and go while a table is scrolled. It runs between layout and paint: no
// name is painted uncut, and no layout is forced just to measure.
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
  /** Name of the column: a row that scrolls into view starts with the room of the others in it. */
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
        const isCut = before?.text === text;
        if (isCut && before.room.width === width) return before;
        // A box as wide as its text may be narrower than the canvas measures it, by a fraction of a pixel.
        if (!isCut && fits(element)) return undefined;
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
      className={`${classes.text} ${cut ? classes.cut : ''} ${className}`}
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

/** The layout that is there shows all of it. */
const fits = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element) =>
  scrollWidth <= clientWidth && scrollHeight <= clientHeight;

/** Pixels at the end of a full line in which the next letter may have no room. */
const LINE_END = 12;

/** On one line or on as many as it is clamped to; undefined where names may wrap without limit. */
function roomOf(element: Element, width: number): Room | undefined {
  const { fontStyle, fontWeight, fontSize, fontFamily, whiteSpace, webkitLineClamp } = getComputedStyle(element);
  const lines = Number(webkitLineClamp);
  if (width === 0 || (!(lines > 1) && !whiteSpace.includes('nowrap'))) return undefined;
  // The `font` shorthand is empty when font features are set, as they are everywhere here.
  const font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  return { width: lines > 1 ? lines * (width - LINE_END) : width, font };
}
