// The checkboxes that select rows of a table: one for each row, with Shift for a range, and one for all.
import { useCallback, useLayoutEffect, useRef, type ChangeEvent, type MouseEvent } from 'react';
import { rangeBetween } from './selected-ids.ts';
import classes from './row-select.module.css';

/** The selected rows, by their keys. */
export interface RowSelection<Row> {
  ids: ReadonlySet<string>;
  add: (ids: readonly string[]) => void;
  remove: (ids: readonly string[]) => void;
  toggle: (id: string) => void;
  /** The accessible name of a row. */
  nameOf: (row: Row) => string;
  /** The name of the checkbox in the head. */
  all?: string;
}

type Change = Pick<RowSelection<never>, 'add' | 'remove'>;

/** A stable handler for the checkboxes. With Shift it applies to every row since the last click. */
export function useSelectRange(
  ids: readonly string[],
  change: Change | undefined,
): (event: ChangeEvent<HTMLInputElement>) => void {
  const latest = useRef({ ids, change });
  const last = useRef<string>(undefined);
  useLayoutEffect(() => {
    latest.current = { ids, change };
  });
  return useCallback(({ currentTarget: { value: id, checked }, nativeEvent }) => {
    const withShift = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const range = withShift ? rangeBetween(latest.current.ids, last.current, id) : [id];
    if (checked) latest.current.change?.add(range);
    else latest.current.change?.remove(range);
    last.current = id;
  }, []);
}

/** Prevents Shift and a click from selecting the text in between. */
const keepText = (event: MouseEvent) => {
  if (event.shiftKey) event.preventDefault();
};

export function SelectRow({
  id,
  name,
  selected,
  onChange,
}: {
  id: string;
  name: string;
  selected: boolean;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
}) {
  return (
    <label className={classes.target}>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        value={id}
        checked={selected}
        onChange={onChange}
        onMouseDown={keepText}
      />
    </label>
  );
}

/** Selects all rows of the table; rows selected elsewhere stay selected. */
export function SelectShown({
  shown,
  selected,
  name,
  add,
  remove,
}: Change & { shown: readonly string[]; selected: ReadonlySet<string>; name: string }) {
  const count = selected.size === 0 ? 0 : shown.reduce((sum, id) => sum + Number(selected.has(id)), 0);
  const all = count > 0 && count === shown.length;
  return (
    <label className={classes.target} title={name}>
      <input
        type="checkbox"
        aria-label={name}
        checked={all}
        ref={(node) => {
          if (node) node.indeterminate = count > 0 && !all;
        }}
        onChange={() => (all ? remove(shown) : add(shown))}
      />
    </label>
  );
}
