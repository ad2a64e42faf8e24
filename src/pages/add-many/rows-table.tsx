// The rows as a table of fields: an error is shown below its cell, and corrected there. Only the rows in view are on
// the page, and the one that is being typed in.
import { memo, useCallback, useImperativeHandle, useRef, useState } from 'react';
import type { KeyboardEvent, Ref } from 'react';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { IconX } from '@tabler/icons-react';
import tableClasses from '#/ui/table/table.module.css';
import { checkRow } from './row-check.ts';
import type { CellTexts } from './row-check.ts';
import { COLUMNS } from './rows.ts';
import type { ColumnName, DraftRow } from './rows.ts';
import classes from './rows-table.module.css';

const LABELS: Record<ColumnName, string> = {
  name: 'Name',
  group: 'Group',
  customer: 'Customer',
  site: 'Site',
  lat: 'Lat',
  lng: 'Lng',
  tags: 'Tags',
};

const HEAD = 36;
/** Height of a row on a phone, where its cells are below each other. */
const PHONE_ROW = 364;

/** For the page around: puts the focus into a cell, wherever it is. */
export interface CellFocus {
  focus: (index: number, column: ColumnName) => void;
}

interface RowsTableProps {
  rows: readonly DraftRow[];
  warningsOf: (row: DraftRow) => CellTexts;
  onEdit: (row: DraftRow, column: ColumnName, text: string) => void;
  onRemove: (row: DraftRow) => void;
  cells: Ref<CellFocus>;
}

export function RowsTable({ rows, warningsOf, onEdit, onRemove, cells }: RowsTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(-1);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia('(max-width: 640px)').matches ? PHONE_ROW : 37),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    // Clear of the head, which covers what is below it.
    scrollPaddingStart: HEAD,
    scrollPaddingEnd: HEAD,
    // A field that is scrolled out of view still has the focus, and what is typed goes into it.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (current < 0 || current >= rows.length || indexes.includes(current)) return indexes;
      return [...indexes, current].sort((one, two) => one - two);
    },
  });
  const items = list.getVirtualItems();

  const count = rows.length;
  const focusCell = useCallback(
    (index: number, column: ColumnName) => {
      if (index < 0 || index >= count) return;
      setCurrent(index);
      list.scrollToIndex(index, { align: 'auto' });
      scroller.current?.scrollIntoView({ block: 'nearest' });
      // It is drawn after the next frame or two, when it was out of view.
      const attempt = (left: number) => {
        const field = scroller.current?.querySelector<HTMLInputElement>(
          `tr[data-index="${index}"] input[data-column="${column}"]`,
        );
        // Where it is now may not be where it ends up: the list scrolls, not the browser.
        if (field) field.focus({ preventScroll: true });
        else if (left > 0) requestAnimationFrame(() => attempt(left - 1));
      };
      attempt(10);
    },
    [list, count],
  );
  useImperativeHandle(cells, () => ({ focus: focusCell }), [focusCell]);

  let end = 0;
  return (
    <div
      ref={scroller}
      className={`${tableClasses.wrap} ${classes.wrap}`}
      role="region"
      aria-label="Rows, scrolling"
      tabIndex={0}
    >
      <table className={`${tableClasses.table} ${classes.table}`} aria-label="Rows" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" data-number>
              Row
            </th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" data-column={column}>
                {LABELS[column]}
              </th>
            ))}
            <th scope="col" data-remove>
              <span className="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ index, start, end: itsEnd }) => {
            const row = rows[index];
            const gap = start - end;
            end = itsEnd;
            return row ? (
              <EditRow
                key={row.id}
                row={row}
                index={index}
                gap={gap}
                errors={checkRow(row).errors}
                warnings={warningsOf(row)}
                measure={list.measureElement}
                onEdit={onEdit}
                onRemove={onRemove}
                onCurrent={setCurrent}
                onMove={focusCell}
              />
            ) : null;
          })}
          <Gap height={list.getTotalSize() - end} />
        </tbody>
      </table>
    </div>
  );
}

/** The space of rows that are out of view. */
function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden className={classes.gap}>
      <td colSpan={COLUMNS.length + 2} style={{ height }}>
        {' '}
      </td>
    </tr>
  ) : null;
}

interface EditRowProps extends Pick<RowsTableProps, 'onEdit' | 'onRemove'> {
  row: DraftRow;
  index: number;
  /** Height of what is left out before this row. */
  gap: number;
  errors: CellTexts;
  warnings: CellTexts;
  measure: (node: HTMLElement | null) => void;
  /** The focus is in this row. */
  onCurrent: (index: number) => void;
  onMove: (index: number, column: ColumnName) => void;
}

const STEPS: Record<string, number> = { ArrowDown: 1, Enter: 1, ArrowUp: -1 };

const EditRow = memo(function EditRow(props: EditRowProps) {
  const { row, index, gap, errors, warnings, measure, onEdit, onRemove, onCurrent, onMove } = props;
  const move = (event: KeyboardEvent, column: ColumnName) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(index + step, column);
  };
  return (
    <>
      <Gap height={gap} />
      <tr
        ref={measure}
        data-index={index}
        aria-rowindex={index + 2}
        data-faulty={Object.keys(errors).length > 0 || undefined}
      >
        <td data-number className="dim">
          <span className={classes.rowWord}>Row </span>
          {index + 1}
        </td>
        {COLUMNS.map((column) => {
          const error = errors[column];
          const warning = warnings[column];
          const note = error ?? warning;
          const about = `about-${row.id}-${column}`;
          return (
            <td key={column} data-column={column} data-label={LABELS[column]}>
              <input
                aria-label={`${LABELS[column]}, row ${index + 1}`}
                data-column={column}
                value={row.cells[column]}
                onKeyDown={(event) => move(event, column)}
                onFocus={() => onCurrent(index)}
                onChange={({ currentTarget }) => onEdit(row, column, currentTarget.value)}
                spellCheck={false}
                autoComplete="off"
                data-odd={warning !== undefined || undefined}
                aria-invalid={error !== undefined}
                {...(note !== undefined && { 'aria-describedby': about })}
              />
              {note !== undefined && (
                <span id={about} className={error === undefined ? classes.warning : classes.error}>
                  {note}
                </span>
              )}
            </td>
          );
        })}
        <td data-remove>
          <button
            type="button"
            className={classes.remove}
            aria-label={`Remove row ${index + 1}`}
            title={`Remove row ${index + 1}`}
            onClick={() => onRemove(row)}
          >
            <IconX size={15} stroke={1.6} aria-hidden />
          </button>
        </td>
      </tr>
    </>
  );
});
