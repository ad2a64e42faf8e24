// The one table of all lists: columns as data, rows that can be selected and sorted, two lines for each at phone width.
// Its users decide which rows are drawn: all of them (DataTable), or those near the view (VirtualTable, and the device
// table, whose rows are all of one height).
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
  /** Heading; for the column of buttons a name that only screen readers get. */
  header: string;
  cell: (row: Row, index: number) => ReactNode;
  align?: 'end';
  /** The column of buttons at the end of a row. Without a width of its own it is as wide as the widest of them. */
  tools?: true;
  /** At phone width: left out, on a line of its own, or smaller on the second line, at its beginning or its end. */
  phone?: 'hide' | 'wide' | 'second' | 'end';
  /** Only in a table of some width: from 860 pixels on, or from 1,120. At phone width `phone` decides. */
  room?: 'medium' | 'wide' | undefined;
  /** As CSS, so that rows that appear and disappear do not move the columns. */
  width?: string | undefined;
  /** Its word in the URL, where the rows can be sorted by it. */
  by?: string;
  /** Instead of the heading: a box that selects all. */
  head?: ReactNode;
  /** Of its cells. */
  className?: string | undefined;
  title?: ((row: Row) => string) | undefined;
}

/** The rows of a long table that are drawn, each with the height of what is left out before it. */
export interface DrawnRows {
  rows: readonly { index: number; gap: number }[];
  /** Height of what is left out after the last. */
  after: number;
  /** Of rows that differ in height. */
  measure?: (element: HTMLTableRowElement | null) => void;
}

/** What the keys and the box in the head select from. */
export interface TableSelection<Row> extends RowSelection<Row> {
  /** Keys of all rows, in order, drawn or not. */
  shown: readonly string[];
  /** Name of the box in the head. */
  all?: string;
}

export interface TableProps<Row> {
  /** What the rows are, for screen readers: "Devices". */
  name: string;
  columns: readonly Column<Row>[];
  drawn: DrawnRows;
  rowAt: (index: number) => Row | undefined;
  rowKey: (row: Row) => string;
  /** Where not all rows of the list are drawn: those before the first of these, and how many there are. */
  part?: { before: number; total: number } | undefined;
  /** With it rows have boxes. */
  selection?: TableSelection<Row> | undefined;
  /** Marked by the page, and not by a box. */
  isMarked?: ((row: Row) => boolean) | undefined;
  /** A row that is no row of cells but this, over all columns: what another row opens below itself. */
  whole?: ((row: Row) => ReactNode) | undefined;
  /** How the rows are sorted; the page sorts them. */
  sort?: Sort | undefined;
  onSort?: ((sort: Sort | undefined) => void) | undefined;
  /** At the edge of a heading. */
  edgeOf?: (column: number) => ReactNode;
  table?: ComponentProps<'table'> & Record<`data-${string}`, string>;
  body?: ComponentProps<'tbody'>;
}

/**
 * The width of the buttons at the ends of the rows. Columns of a fixed width take no notice of what is in them, so that the
 * buttons would be cut off. It only grows: columns must not move because a row with fewer buttons came into view.
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
    // Known only once they are laid out.
    setWidth((before) => Math.max(before, Math.ceil(widest))); // oxlint-disable-line react/set-state-in-effect
    // With each change of the rows, and of what they offer.
  }, [head, isMeasured, columns, drawn]);
  return width > 0 ? `${width}px` : undefined;
}

export function BaseTable<Row>(props: TableProps<Row>) {
  const { name, columns, drawn, rowAt, rowKey, part, selection, isMarked, whole, sort, onSort, edgeOf } = props;
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
          // Another service may name two rows alike: with one key React would keep old copies of them.
          const same = drawnIds.get(id) ?? 0;
          drawnIds.set(id, same + 1);
          return [
            spacer(gap),
            <BodyRow
              key={same === 0 ? id : `${id} ${same}`}
              {...{ id, row, index, columns, whole, select }}
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

interface BodyRowProps<Row> extends Pick<TableProps<Row>, 'columns' | 'whole'> {
  id: string;
  row: Row;
  index: number;
  /** In the whole list, for screen readers, where not all of it is drawn. */
  position: number | undefined;
  measure: DrawnRows['measure'];
  /** With it the row has a box. */
  nameOf: ((row: Row) => string) | undefined;
  selected: boolean;
  marked: boolean;
  select: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** Drawn again only with what it shows: while a long table is scrolled, the rows that stay in view cost nothing. */
const BodyRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>(props: BodyRowProps<Row>) {
  const { id, row, index, columns, whole, position, measure, nameOf, selected, marked, select } = props;
  const content = whole?.(row);
  if (content !== undefined)
    return (
      <tr ref={measure} data-row={index}>
        <td colSpan={columns.length + Number(nameOf !== undefined)} data-phone="wide" className={classes.whole}>
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

/** Fills the height of the rows that are not drawn. */
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

interface DataTableProps<Row> extends Pick<TableProps<Row>, 'name' | 'columns' | 'rowKey'> {
  rows: readonly Row[];
  /** As that of VirtualTable. */
  find?: ((id: string) => Row | undefined) | undefined;
}

/** A short list, with neither boxes nor a scroll of its own. */
export function DataTable<Row>({ rows: sorted, find, ...table }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { rows } = useHeldRows(body, sorted, table.rowKey, find);
  return (
    <div className={classes.wrap}>
      <BaseTable {...table} body={{ ref: body }} drawn={allRows(rows.length)} rowAt={(index) => rows[index]} />
    </div>
  );
}

/** Class of the link or text that names a row. */
export const rowName = classes.name;
