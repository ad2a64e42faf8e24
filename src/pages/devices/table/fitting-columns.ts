// Which of the usual columns a table has room for, before anybody has chosen columns.
import { useLayoutEffect, useMemo, useState, type RefObject } from 'react';
import type { Choosable, ColumnChoice } from './column-choice.ts';

/** The checkbox, the menu, and the least width of a name. */
const FRAME = 50 + 54;
const LEAST_NAME = 176;

/** What a narrow table leaves out for the version and the last job. */
const YIELDING = [['id'], ['id', 'address'], ['id', 'address', 'customer']];

export const leastWidth = (columns: readonly Choosable[]): number =>
  columns.reduce((sum, { id, width }) => sum + (id === 'name' ? LEAST_NAME : width), FRAME);

/** Without the version and the last job where there is no room for them even so. */
export function fitting<Column extends Choosable>(columns: readonly Column[], room: number): readonly Column[] {
  const without = (left: readonly string[]) => columns.filter(({ id }) => !left.includes(id));
  if (leastWidth(columns) <= room || columns.every(({ id }) => id !== 'version')) return columns;
  const narrower = YIELDING.map(without).find((some) => leastWidth(some) <= room);
  return narrower ?? without(['version', 'lastJob']);
}

const isUsual = ({ order, hidden, added, widths }: ColumnChoice): boolean =>
  [order, hidden, added, Object.keys(widths)].every(({ length }) => length === 0);

/** The columns that fit, if nobody has chosen any. `choice`: whose columns these are. */
export function useFittingColumns<Column extends Choosable>(
  columns: readonly Column[],
  choice: ColumnChoice,
  scroller: RefObject<HTMLElement | null>,
): readonly Column[] {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const measure = () => setRoom(box.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller]);
  return useMemo(() => (isUsual(choice) ? fitting(columns, room) : columns), [columns, choice, room]);
}
