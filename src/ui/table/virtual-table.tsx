// A table for any number of rows: all of them up to a few hundred, beyond that only those in view, in a scrolling region
// of its own. The same columns as a plain data table; rows can be selected, with the mouse and with the keys, and sorted.
import { memo, useCallback, useMemo, useRef } from 'react';
import type { ChangeEvent, ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Column } from './data-table.tsx';
import { formatCount } from '#/lib/format.ts';
import { SelectRow, SelectShown, useSelectRange } from './row-select.tsx';
import type { RowSelection } from './row-select.tsx';
import { SortHead } from './sort-head.tsx';
import { sortedBy } from './sort.ts';
import type { Sort } from './sort.ts';
import { useTableKeys } from './use-table-keys.ts';
import tableClasses from './table.module.css';
import classes from './virtual-table.module.css';

export interface VirtualColumn<Row> extends Column<Row> {
  /** Share of the width, as CSS: rows that come and go must not move the columns. */
  width?: string;
  /** Its word in the URL, where the rows can be sorted by it. */
  by?: string;
  /** What stands in the head instead of the plain name: a button that sorts, a box that selects all. */
  head?: ReactNode;
  sorted?: 'ascending' | 'descending' | undefined;
}

interface VirtualTableProps<Row> {
  /** What the rows are, for screen readers: "Jobs". */
  name: string;
  columns: VirtualColumn<Row>[];
  /** The same array as long as the rows are: with a new one, each is measured anew. */
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  isSelected?: (row: Row) => boolean;
  /** Keeps to this height and scrolls within, however few rows there are. */
  bounded?: boolean;
  /** With it rows have boxes. */
  selection?: RowSelection<Row>;
  /** A row that is no row of cells but this, over all columns: what another row opens below itself. */
  whole?: (row: Row) => ReactNode;
  /** How the rows are sorted; the page sorts them. */
  sort?: Sort | undefined;
  onSort?: (sort: Sort | undefined) => void;
}

/** Up to here a browser draws all rows at once without anyone noticing. */
const ALL_AT_ONCE = 200;
const NOTHING = { ids: [], toggle: () => undefined };

export function VirtualTable<Row>({
  name,
  columns,
  rows,
  rowKey,
  isSelected,
  bounded = false,
  selection,
  whole,
  sort,
  onSort,
}: VirtualTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = rows.length > ALL_AT_ONCE;
  const list = useVirtualizer({
    count: virtual ? rows.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => 37,
    // Else the first drawing has no rows, and those that are seen come in one piece once the height is known.
    initialRect: { width: 0, height: globalThis.innerHeight },
    // A new function would have all rows, seen or not, put in their places again.
    getItemKey: useCallback(
      (position: number) => {
        const row = rows[position];
        return row === undefined ? position : rowKey(row);
      },
      [rows, rowKey],
    ),
    overscan: 10,
  });
  const selects = selection !== undefined;
  const ids = useMemo(() => (selects ? rows.map(rowKey) : NOTHING.ids), [selects, rows, rowKey]);
  const select = useSelectRange(ids, selection);
  useTableKeys(body, selection ? { ids, toggle: selection.toggle } : NOTHING, selects);
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
  const width = columns.length + Number(selects);
  return (
    <div
      ref={scroller}
      className={`${tableClasses.wrap} ${classes.wrap}`}
      data-scrolls={scrolls || undefined}
      data-bounded={bounded || undefined}
      {...(scrolls && { role: 'region', 'aria-label': `${name}, scrolling`, tabIndex: 0 })}
    >
      <table
        className={`${tableClasses.table} ${classes.table}`}
        aria-label={name}
        data-selects={selects || undefined}
        {...(virtual && { 'aria-rowcount': rows.length + 1 })}
      >
        <colgroup>
          {selects && <col className={classes.check} />}
          {columns.map((column) => (
            <col key={column.header} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={classes.check}>
                <span className="visually-hidden">Selected</span>
                <SelectShown
                  shown={ids}
                  selected={selection.ids}
                  name={`Select all ${formatCount(ids.length)}`}
                  add={selection.add}
                  remove={selection.remove}
                />
              </th>
            )}
            {columns.map(({ header, align, tools, by, head, sorted }) => (
              <th
                key={header}
                scope="col"
                data-align={align}
                data-tools={tools}
                aria-sort={by === undefined ? sorted : sortedBy(by, sort)}
              >
                {head ??
                  (tools ? (
                    <span className="visually-hidden">{header}</span>
                  ) : by !== undefined && onSort ? (
                    <SortHead id={by} label={header} sort={sort} onSort={onSort} />
                  ) : (
                    header
                  ))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <Spacer height={before} columns={width} />}
          {shown.map(({ row, index }) => {
            const id = rowKey(row);
            return (
              <BodyRow
                key={id}
                {...{ id, row, index, columns, whole, select }}
                measure={virtual ? list.measureElement : undefined}
                nameOf={selection?.nameOf}
                selected={selection?.ids.has(id) ?? false}
                marked={isSelected?.(row) ?? false}
              />
            );
          })}
          {after > 0 && <Spacer height={after} columns={width} />}
        </tbody>
      </table>
    </div>
  );
}

interface BodyRowProps<Row> {
  id: string;
  row: Row;
  index: number;
  columns: readonly VirtualColumn<Row>[];
  whole: ((row: Row) => ReactNode) | undefined;
  /** Of a row that comes and goes with the scrolling. */
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
  /** With it the row has a box. */
  nameOf: ((row: Row) => string) | undefined;
  selected: boolean;
  /** By the page, and not by a box. */
  marked: boolean;
  select: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** Drawn again only with what it shows: while a long table is scrolled, the rows that stay in view cost nothing. */
const BodyRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>(props: BodyRowProps<Row>) {
  const { id, row, index, columns, whole, measure, nameOf, selected, marked, select } = props;
  const content = whole?.(row);
  if (content !== undefined)
    return (
      <tr ref={measure} data-index={index}>
        <td colSpan={columns.length + Number(nameOf !== undefined)} data-phone="wide" className={classes.whole}>
          {content}
        </td>
      </tr>
    );
  return (
    <tr
      ref={measure}
      data-index={index}
      data-selected={selected || marked || undefined}
      {...(nameOf && { 'data-id': id, 'data-row': index })}
      {...(measure && { 'aria-rowindex': index + 2 })}
    >
      {nameOf && (
        <td className={classes.check}>
          <SelectRow id={id} name={nameOf(row)} selected={selected} onChange={select} />
        </td>
      )}
      {columns.map(({ header, cell, align, tools, phone }) => (
        <td key={header} data-align={align} data-tools={tools} data-phone={phone}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Stands for the rows that are out of view. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={columns} style={{ height }}>
        {' '}
      </td>
    </tr>
  );
}
