// The steps of choosing columns. Apart from the choice itself, which the table needs for its first picture.
import type { Choosable, ColumnChoice } from './column-choice.ts';

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
