// The table of every list: columns as data, rows that can be selected and sorted, two lines for each row at phone width. Its
// users decide which rows to render: all (DataTable) or those near the view (VirtualTable, and the device table, whose rows
// all have the same height).
import {
  memo,
  useLayoutEffect,
  useRef,
  useState,
  type ChangeEvent,
  type ComponentProps,
  type ReactNode,
  type RefObject,
} from 'react';
import { formatCount } from '#/lib/format.ts';
import { SelectRow, SelectShown, useSelectRange, type RowSelection } from './row-select.tsx';
import { SortHead } from './sort-head.tsx';
import { sortedBy, type Sort } from './sort.ts';
import { useHeadKeys } from './use-head-keys.ts';
import { useHeldRows } from './use-held-order.ts';
import classes from './table.module.css';

export interface Column<Row> {
  /** The heading; that of the tools column is only for screen readers. */
  header: string;
  cell: (row: Row, index: number) => ReactNode;
  align?: 'end';
  /** The column of buttons at the end of a row. By default it is as wide as its widest cell. */
  tools?: true;
  /** At phone width: hidden, on its own line, or small at the start or end of the second line. */
  phone?: 'hide' | 'wide' | 'second' | 'end';
  /** Shown only if the table is at least 860 or 1,120 pixels wide. At phone width `phone` decides. */
  room?: 'medium' | 'wide' | undefined;
  /** A CSS width, so that columns do not move when other rows appear. */
  width?: string | undefined;
  /** Its name in the URL, if rows can be sorted by it. */
  by?: string;
  /** Replaces the heading, by a checkbox for all rows. */
  head?: ReactNode;
  /** The class of its cells. */
  className?: string | undefined;
  title?: ((row: Row) => string) | undefined;
}

/** The rows to render, each with the height of the skipped rows before it. */
export interface DrawnRows {
  rows: readonly { index: number; gap: number }[];
  /** The height of the skipped rows after the last one. */
  after: number;
  /** Measures rows that differ in height. */
  measure?: (element: HTMLTableRowElement | null) => void;
}

/** The rows that keys and the checkbox in the head select from. */
export interface TableSelection<Row> extends RowSelection<Row> {
  /** The keys of all rows in order, rendered or not. */
  shown: readonly string[];
}

export interface TableProps<Row> {
  /** The accessible name of the table: "Devices". */
  name: string;
  columns: readonly Column<Row>[];
  drawn: DrawnRows;
  rowAt: (index: number) => Row | undefined;
  rowKey: (row: Row) => string;
  /** If the table has only a part of the list: how many rows are before it, and how many there are in all. */
  part?: { before: number; total: number } | undefined;
  /** Adds a checkbox to each row. */
  selection?: TableSelection<Row> | undefined;
  /** Whether the page marks the row, regardless of the selection. */
  isMarked?: ((row: Row) => boolean) | undefined;
  /** Content across all columns in place of the cells, for what another row opens below itself. */
  fullRow?: ((row: Row) => ReactNode) | undefined;
  /** How the page has sorted the rows. */
  sort?: Sort | undefined;
  onSort?: ((sort: Sort | undefined) => void) | undefined;
  /** Rendered at the edge of a heading. */
  edgeOf?: (column: number) => ReactNode;
  table?: ComponentProps<'table'> & Record<`data-${string}`, string>;
  body?: ComponentProps<'tbody'>;
}

/**
 * The width of the tools column. In a table with a fixed layout, columns ignore their content, so the buttons would be cut
 * off. It only grows: columns must not move because a row with fewer buttons scrolled into view.
 */
function useToolsWidth(
  head: RefObject<HTMLTableSectionElement | null>,
  columns: readonly Pick<Column<never>, 'tools' | 'width'>[],
  drawn: DrawnRows,
): string | undefined {
  const [width, setWidth] = useState(0);
  const isMeasured = columns.some(({ tools, width: own }) => tools && own === undefined);
  useLayoutEffect(() => {
    const table = head.current?.parentElement;
    if (!isMeasured || !table) return;
    const range = document.createRange();
    let widest = 0;
    for (const cell of table.querySelectorAll('td[data-tools]')) {
      range.selectNodeContents(cell);
      const { paddingLeft, paddingRight } = getComputedStyle(cell);
      widest = Math.max(
        widest,
        range.getBoundingClientRect().width + Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight),
      );
    }
    setWidth((before) => Math.max(before, Math.ceil(widest))); // oxlint-disable-line react/set-state-in-effect
    // Runs again whenever the rows or their buttons may have changed.
  }, [head, isMeasured, columns, drawn]);
  return width > 0 ? `${width}px` : undefined;
}

export function BaseTable<Row>(props: TableProps<Row>) {
  const { name, columns, drawn, rowAt, rowKey, part, selection, isMarked, fullRow, sort, onSort, edgeOf } = props;
  const select = useSelectRange(selection?.shown ?? [], selection);
  const width = columns.length + Number(selection !== undefined);
  const head = useRef<HTMLTableSectionElement>(null);
  const toolsWidth = useToolsWidth(head, columns, drawn);
  useHeadKeys(head, { on: onSort !== undefined, hasWidths: edgeOf !== undefined, columns });
  let gaps = 0;
  const drawnIds = new Map<string, number>();
  const spacer = (height: number) => height > 0 && <Spacer key={`gap ${gaps++}`} height={height} columns={width} />;
  return (
    <table
      {...props.table}
      className={`${classes.table} ${props.table?.className ?? ''}`}
      aria-label={name}
      data-selects={selection !== undefined || undefined}
      {...(part && { 'aria-rowcount': part.total + 1 })}
    >
      <colgroup>
        {selection && <col data-check />}
        {columns.map((column) => (
          <col
            key={column.header}
            data-room={column.room}
            style={{ width: column.width ?? (column.tools && toolsWidth) }}
          />
        ))}
      </colgroup>
      <thead ref={head}>
        <tr {...(part && { 'aria-rowindex': 1 })}>
          {selection && (
            <th scope="col" data-check>
              <span className="visually-hidden">Selected</span>
              <SelectShown
                shown={selection.shown}
                selected={selection.ids}
                name={selection.all ?? `Select all ${formatCount(selection.shown.length)}`}
                add={selection.add}
                remove={selection.remove}
              />
            </th>
          )}
          {columns.map(({ header, align, tools, by, head: box, room }, index) => (
            <th
              key={header}
              scope="col"
              data-align={align}
              data-tools={tools}
              data-room={room}
              aria-sort={by === undefined ? undefined : sortedBy(by, sort)}
            >
              {box ??
                (tools ? (
                  <span className="visually-hidden">{header}</span>
                ) : by !== undefined && onSort ? (
                  <SortHead id={by} label={header} sort={sort} onSort={onSort} />
                ) : (
                  header
                ))}
              {edgeOf?.(index)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...props.body}>
        {drawn.rows.flatMap(({ index, gap }) => {
          const row = rowAt(index);
          if (row === undefined) return [];
          const id = rowKey(row);
          // Another service may send duplicate ids: with equal keys React would keep stale copies of the rows.
          const copies = drawnIds.get(id) ?? 0;
          drawnIds.set(id, copies + 1);
          return [
            spacer(gap),
            <BodyRow
              key={copies === 0 ? id : `${id} ${copies}`}
              {...{ id, row, index, columns, fullRow, select }}
              position={part && part.before + index + 2}
              measure={drawn.measure}
              nameOf={selection?.nameOf}
              selected={selection?.ids.has(id) ?? false}
              marked={isMarked?.(row) ?? false}
            />,
          ];
        })}
        {spacer(drawn.after)}
      </tbody>
    </table>
  );
}

interface BodyRowProps<Row> extends Pick<TableProps<Row>, 'columns' | 'fullRow'> {
  id: string;
  row: Row;
  index: number;
  /** Its position in the full list, for screen readers. */
  position: number | undefined;
  measure: DrawnRows['measure'];
  /** Adds a checkbox to the row. */
  nameOf: ((row: Row) => string) | undefined;
  selected: boolean;
  marked: boolean;
  select: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** Memoised, so that rows that stay in view cost nothing while a long table is scrolled. */
const BodyRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>(props: BodyRowProps<Row>) {
  const { id, row, index, columns, fullRow, position, measure, nameOf, selected, marked, select } = props;
  const content = fullRow?.(row);
  if (content !== undefined)
    return (
      <tr ref={measure} data-row={index}>
        <td colSpan={columns.length + Number(nameOf !== undefined)} data-phone="wide" className={classes.fullRow}>
          {content}
        </td>
      </tr>
    );
  return (
    <tr
      ref={measure}
      data-row={index}
      data-id={id}
      data-selected={selected || marked || undefined}
      aria-rowindex={position}
    >
      {nameOf && (
        <td data-check>
          <SelectRow id={id} name={nameOf(row)} selected={selected} onChange={select} />
        </td>
      )}
      {columns.map(({ header, cell, align, tools, phone, room, className, title }) => (
        <td
          key={header}
          className={className}
          title={title?.(row)}
          data-align={align}
          data-tools={tools}
          data-phone={phone}
          data-room={room}
        >
          {cell(row, index)}
        </td>
      ))}
    </tr>
  );
}

/** Takes the height of the rows that are not rendered. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={columns} style={{ height }}>
        {' '}
      </td>
    </tr>
  );
}

/** All rows of a short list. */
export const allRows = (count: number): DrawnRows => ({
  rows: Array.from({ length: count }, (_, index) => ({ index, gap: 0 })),
  after: 0,
});

interface DataTableProps<Row> extends Pick<TableProps<Row>, 'name' | 'columns' | 'rowKey' | 'fullRow'> {
  rows: readonly Row[];
  /** See VirtualTable. */
  find?: ((id: string) => Row | undefined) | undefined;
}

/** A short list, without checkboxes and without scrolling. */
export function DataTable<Row>({ rows: sorted, find, ...table }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { rows } = useHeldRows(body, sorted, table.rowKey, find);
  return (
    <div className={classes.wrap}>
      <BaseTable {...table} body={{ ref: body }} drawn={allRows(rows.length)} rowAt={(index) => rows[index]} />
    </div>
  );
}

/** The class of the link or text that names a row. */
export const rowName = classes.name;
