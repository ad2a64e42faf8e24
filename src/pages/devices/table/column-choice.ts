// The user's choice of columns, their order and the row height, stored in this browser for each account. What cannot be
// read, because it is damaged or of another version, counts as not chosen.
import { clampWidth } from '#/features/saved-views/view-words.ts';
import { stored } from '#/lib/stored.ts';

export interface ColumnChoice {
  /** Ids of columns in the wanted order; others follow in their own. */
  order: string[];
  /** Usual columns that are not wanted. */
  hidden: string[];
  /** Extra columns that are wanted. */
  added: string[];
  /** Pixels by id, where they were changed. */
  widths: Record<string, number>;
  density: 'compact' | 'comfortable';
}

export const USUAL: ColumnChoice = { order: [], hidden: [], added: [], widths: {}, density: 'compact' };

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value.filter((each) => typeof each === 'string'))].slice(0, 100) : [];

export function readColumnChoice(text: string): ColumnChoice {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return USUAL;
  }
  if (typeof read !== 'object' || read === null) return USUAL;
  const { version, order, hidden, added, widths, density } = read as Record<string, unknown>;
  if (version !== 1) return USUAL;
  const sizes = typeof widths === 'object' && widths !== null ? Object.entries(widths) : [];
  return {
    order: texts(order),
    // Without its name a row has no link.
    hidden: texts(hidden).filter((id) => id !== 'name'),
    added: texts(added),
    widths: Object.fromEntries(
      sizes.flatMap(([id, width]: [string, unknown]) =>
        typeof width === 'number' && Number.isFinite(width) ? [[id, clampWidth(width)]] : [],
      ),
    ),
    density: density === 'comfortable' ? 'comfortable' : 'compact',
  };
}

export const printChoice = (choice: ColumnChoice): string => JSON.stringify({ version: 1, ...choice });

export const columnChoice = stored('muster-columns', USUAL, { read: readColumnChoice, print: printChoice });

export interface Choosable {
  id: string;
  width: number;
  isExtra?: boolean;
}

export function inOrder<Column extends Choosable>(columns: readonly Column[], { order }: ColumnChoice): Column[] {
  const known = new Map(order.map((id, index) => [id, index]));
  // A column that was never moved stays after the one that it follows by default.
  let last = -1;
  const placed = columns.map((column, first) => {
    last = known.get(column.id) ?? last;
    return { column, position: last, first };
  });
  return placed.sort((one, two) => one.position - two.position || one.first - two.first).map(({ column }) => column);
}

export const isColumnShown = ({ id, isExtra = false }: Choosable, { hidden, added }: ColumnChoice): boolean =>
  isExtra ? added.includes(id) : !hidden.includes(id);

/** The columns to draw, with their widths. */
export const chosen = <Column extends Choosable>(columns: readonly Column[], choice: ColumnChoice): Column[] =>
  inOrder(columns, choice)
    .filter((column) => isColumnShown(column, choice))
    .map((column) => ({ ...column, width: choice.widths[column.id] ?? column.width }));

export function withShown(choice: ColumnChoice, { id, isExtra = false }: Choosable, shown: boolean): ColumnChoice {
  const without = (ids: string[]) => ids.filter((each) => each !== id);
  return isExtra
    ? { ...choice, added: [...without(choice.added), ...(shown ? [id] : [])] }
    : { ...choice, hidden: [...without(choice.hidden), ...(shown ? [] : [id])] };
}

/** Moves a column by some positions; `ids`: all of them in their present order. */
export function withMoved(choice: ColumnChoice, ids: readonly string[], id: string, by: number): ColumnChoice {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= ids.length) return choice;
  const order = ids.filter((each) => each !== id);
  order.splice(to, 0, id);
  return { ...choice, order };
}
