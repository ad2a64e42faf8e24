// A table for any number of rows of any height. It renders up to a few hundred rows in full, and of more only those in view,
// in a scrolling region of its own.
import { useCallback, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { RowSelection } from './row-select.tsx';
import { BaseTable, allRows, type TableProps } from './table.tsx';
import { useHeldRows } from './use-held-order.ts';
import { useTableKeys } from './use-table-keys.ts';
import tableClasses from './table.module.css';
import classes from './virtual-table.module.css';

interface VirtualTableProps<Row> extends Pick<
  TableProps<Row>,
  'name' | 'columns' | 'rowKey' | 'isMarked' | 'fullRow' | 'sort' | 'onSort'
> {
  /** Must be the same array while the rows are the same, because a new one measures all of them again. */
  rows: readonly Row[];
  /**
   * Finds a row, filtered out or not; must be the same function while the rows are the same. Without it, a row that no longer
   * matches the filter disappears even while the pointer is in the rows.
   */
  find?: ((id: string) => Row | undefined) | undefined;
  /** The key of the row that a row was opened from: it stays below that one. Must be the same function each time. */
  parentOf?: (row: Row) => string | undefined;
  /** Limits the height, so that even a few rows scroll. */
  bounded?: boolean;
  /** Adds a checkbox to each row. */
  selection?: RowSelection<Row>;
}

/** Up to this many rows, rendering all of them is fast enough. */
const ALL_AT_ONCE = 200;
const NOTHING = { ids: [], toggle: () => undefined };

export function VirtualTable<Row>({
  rows: sorted,
  rowKey,
  find,
  parentOf,
  bounded = false,
  selection,
  ...table
}: VirtualTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { rows, ids } = useHeldRows(body, sorted, rowKey, find, parentOf);
  const virtual = rows.length > ALL_AT_ONCE;
  const list = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: virtual ? rows.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => 37,
    indexAttribute: 'data-row',
    // Otherwise the first render has no rows, and all of them appear once the height is known.
    initialRect: { width: 0, height: globalThis.innerHeight },
    // A new function would recompute the position of every row.
    getItemKey: useCallback(
      (position: number) => {
        const row = rows[position];
        return row === undefined ? position : rowKey(row);
      },
      [rows, rowKey],
    ),
    overscan: 10,
  });
  useTableKeys(body, selection ? { ids, toggle: selection.toggle } : NOTHING, selection !== undefined);
  const items = list.getVirtualItems();
  const scrolls = virtual || bounded;
  return (
    <div
      ref={scroller}
      className={`${tableClasses.wrap} ${classes.wrap}`}
      data-scrolls={scrolls || undefined}
      data-bounded={bounded || undefined}
      {...(scrolls && { role: 'region', 'aria-label': `${table.name}, scrolling`, tabIndex: 0 })}
    >
      <BaseTable
        {...table}
        table={{ className: classes.table }}
        body={{ ref: body }}
        rowKey={rowKey}
        rowAt={(index) => rows[index]}
        drawn={
          virtual
            ? {
                rows: items.map(({ index, start }, nth) => ({ index, gap: start - (items[nth - 1]?.end ?? 0) })),
                after: list.getTotalSize() - (items.at(-1)?.end ?? 0),
                measure: list.measureElement,
              }
            : allRows(rows.length)
        }
        part={virtual ? { before: 0, total: rows.length } : undefined}
        selection={selection && { ...selection, shown: ids }}
      />
    </div>
  );
}
