// A table for any number of rows: all of them up to a few hundred, beyond that only those in view, in a scrolling region
// of its own. The same columns as a plain data table.
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Column } from './data-table.tsx';
import tableClasses from './table.module.css';
import classes from './virtual-table.module.css';

export interface VirtualColumn<Row> extends Column<Row> {
  /** Share of the width, as CSS: rows that come and go must not move the columns. */
  width?: string;
  /** What stands in the head instead of the plain name: a button that sorts, a box that selects all. */
  head?: ReactNode;
  sorted?: 'ascending' | 'descending' | undefined;
}

interface VirtualTableProps<Row> {
  /** What the rows are, for screen readers: "Jobs". */
  name: string;
  columns: VirtualColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  isSelected?: (row: Row) => boolean;
  /** Keeps to this height and scrolls within, however few rows there are. */
  bounded?: boolean;
}

/** Up to here a browser draws all rows at once without anyone noticing. */
const ALL_AT_ONCE = 200;

export function VirtualTable<Row>({
  name,
  columns,
  rows,
  rowKey,
  isSelected,
  bounded = false,
}: VirtualTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = rows.length > ALL_AT_ONCE;
  const list = useVirtualizer({
    count: virtual ? rows.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => 37,
    getItemKey: (position) => {
      const row = rows[position];
      return row === undefined ? position : rowKey(row);
    },
    overscan: 10,
  });
  const items = list.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual ? list.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;
  const shown = virtual
    ? items.flatMap(({ index }) => {
        const row = rows[index];
        return row === undefined ? [] : [{ row, index }];
      })
    : rows.map((row, index) => ({ row, index }));
  const scrolls = virtual || bounded;
  return (
    <div
      ref={scroller}
      className={`${tableClasses['wrap']} ${classes['wrap']}`}
      data-scrolls={scrolls || undefined}
      data-bounded={bounded || undefined}
      {...(scrolls && { role: 'region', 'aria-label': `${name}, scrolling`, tabIndex: 0 })}
    >
      <table
        className={`${tableClasses['table']} ${classes['table']}`}
        aria-label={name}
        {...(virtual && { 'aria-rowcount': rows.length + 1 })}
      >
        <colgroup>
          {columns.map(({ header, width }) => (
            <col key={header} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ header, align, tools, head, sorted }) => (
              <th key={header} scope="col" data-align={align} data-tools={tools} aria-sort={sorted}>
                {head ?? (tools ? <span className="visually-hidden">{header}</span> : header)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} columns={columns.length} />}
          {shown.map(({ row, index }) => (
            <tr
              key={rowKey(row)}
              ref={virtual ? list.measureElement : undefined}
              data-index={index}
              data-selected={isSelected?.(row) || undefined}
              {...(virtual && { 'aria-rowindex': index + 2 })}
            >
              {columns.map(({ header, cell, align, tools, phone }) => (
                <td key={header} data-align={align} data-tools={tools} data-phone={phone}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <Spacer height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are out of view. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className={classes['spacer']}>
      <td colSpan={columns} style={{ height }}>
        {' '}
      </td>
    </tr>
  );
}
