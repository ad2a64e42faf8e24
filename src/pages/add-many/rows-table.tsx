// The rows as a table of fields, with errors shown below their cells. Only the rows in view are rendered, and the one being
// edited.
import { useCallback, useImperativeHandle, useMemo, useRef, useState, type Ref } from 'react';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { IconX } from '@tabler/icons-react';
import { BaseTable, type Column } from '#/ui/table/table.tsx';
import tableClasses from '#/ui/table/table.module.css';
import { visible } from '#/lib/glyphs.ts';
import { checkRow, hasError } from './row-check.ts';
import type { Plan, RowFate } from './plan.ts';
import { COLUMNS, type ColumnName, type DraftRow } from './rows.ts';
import classes from './rows-table.module.css';

/** `phone`: on its own line on phones. */
const LOOKS: Record<ColumnName, Pick<Column<DraftRow>, 'header' | 'width' | 'phone'>> = {
  name: { header: 'Name', width: '22%', phone: 'wide' },
  group: { header: 'Group' },
  customer: { header: 'Customer' },
  site: { header: 'Site', phone: 'wide' },
  lat: { header: 'Lat', width: '10%' },
  lng: { header: 'Lng', width: '10%' },
  tags: { header: 'Tags', width: '15%', phone: 'wide' },
};
const STEPS = new Map(Object.entries<number>({ ArrowDown: 1, Enter: 1, ArrowUp: -1 }));

const HEAD = 36;
/** Height of a row on a phone, where its cells are stacked. */
const PHONE_ROW = 364;

const FATES: Record<RowFate, string> = {
  new: 'New',
  changed: 'Changed',
  same: 'Same',
  unknown: 'Unknown id',
  repeated: 'Id again',
  unread: 'Not read',
};

const fateColumn = ({ fateOf }: Pick<Plan, 'fateOf'>): Column<DraftRow> => ({
  header: 'Plan',
  width: '108px',
  className: classes.number,
  cell: (row) => (
    <span className={fateOf(row) === 'changed' || fateOf(row) === 'new' ? undefined : 'dim'} title={row.existing?.id}>
      {FATES[fateOf(row)]}
    </span>
  ),
});

/** Lets the page focus any cell, even one out of view. */
export interface CellFocus {
  focus: (index: number, column: ColumnName) => void;
}

interface RowsTableProps {
  rows: readonly DraftRow[];
  plan: Pick<Plan, 'warningsOf' | 'wasOf' | 'fateOf' | 'hasExisting'>;
  onEdit: (row: DraftRow, column: ColumnName, text: string) => void;
  onRemove: (row: DraftRow) => void;
  cells: Ref<CellFocus>;
}

export function RowsTable({ rows, plan, onEdit, onRemove, cells }: RowsTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(-1);
  const list = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia('(max-width: 640px)').matches ? PHONE_ROW : 37),
    getItemKey: (index) => rows[index]?.id ?? index,
    indexAttribute: 'data-row',
    overscan: 8,
    // Scrolls rows clear of the sticky header.
    scrollPaddingStart: HEAD,
    scrollPaddingEnd: HEAD,
    // A field that is scrolled out of view keeps the focus and must stay rendered.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (current < 0 || current >= rows.length || indexes.includes(current)) return indexes;
      return [...indexes, current].sort((one, two) => one - two);
    },
  });
  const count = rows.length;
  const focusCell = useCallback(
    (index: number, column: ColumnName) => {
      if (index < 0 || index >= count) return;
      setCurrent(index);
      list.scrollToIndex(index, { align: 'auto' });
      scroller.current?.scrollIntoView({ block: 'nearest' });
      // A field out of view is rendered only after a frame or two.
      const attempt = (left: number) => {
        const field = scroller.current?.querySelector<HTMLInputElement>(
          `tr[data-row="${index}"] input[data-column="${column}"]`,
        );
        // Its position may not be final: let the list scroll and not the browser.
        if (field) field.focus({ preventScroll: true });
        else if (left > 0) requestAnimationFrame(() => attempt(left - 1));
      };
      attempt(10);
    },
    [list, count],
  );
  useImperativeHandle(cells, () => ({ focus: focusCell }), [focusCell]);

  const columns = useMemo(
    (): Column<DraftRow>[] => [
      {
        header: 'Row',
        width: '58px',
        className: classes.number,
        cell: (row, index) => (
          <span className={hasError(row) ? classes.faulty : 'dim'}>
            <span className={classes.phoneOnly}>Row </span>
            {index + 1}
          </span>
        ),
      },
      ...(plan.hasExisting ? [fateColumn(plan)] : []),
      ...COLUMNS.map((column) => ({
        ...LOOKS[column],
        cell: (row: DraftRow, index: number) => (
          <Field
            column={column}
            row={row}
            index={index}
            warning={plan.warningsOf(row)[column]}
            was={plan.wasOf(row)[column]}
            onEdit={onEdit}
            onCurrent={setCurrent}
            onMove={focusCell}
          />
        ),
      })),
      {
        header: 'Remove',
        width: '42px',
        tools: true,
        cell: (row, index) => (
          <button
            type="button"
            className="sign"
            aria-label={`Remove row ${index + 1}`}
            title={`Remove row ${index + 1}`}
            onClick={() => onRemove(row)}
          >
            <IconX size={15} stroke={1.6} aria-hidden />
          </button>
        ),
      },
    ],
    [plan, onEdit, onRemove, focusCell],
  );
  const items = list.getVirtualItems();
  return (
    <div
      ref={scroller}
      className={`${tableClasses.wrap} ${classes.wrap}`}
      role="region"
      aria-label="Rows, scrolling"
      tabIndex={0}
    >
      <BaseTable
        name="Rows"
        table={{ className: classes.table }}
        columns={columns}
        rowAt={(index) => rows[index]}
        rowKey={({ id }) => String(id)}
        part={{ before: 0, total: count }}
        drawn={{
          rows: items.map(({ index, start }, nth) => ({ index, gap: start - (items[nth - 1]?.end ?? 0) })),
          after: list.getTotalSize() - (items.at(-1)?.end ?? 0),
          measure: list.measureElement,
        }}
      />
    </div>
  );
}

interface FieldProps extends Pick<RowsTableProps, 'onEdit'> {
  column: ColumnName;
  row: DraftRow;
  index: number;
  warning: string | undefined;
  /** The device's value that the cell replaces. */
  was: string | undefined;
  /** Called when the row takes the focus. */
  onCurrent: (index: number) => void;
  onMove: CellFocus['focus'];
}

function Field({ column, row, index, warning, was, onEdit, onCurrent, onMove }: FieldProps) {
  const { header } = LOOKS[column];
  const error = checkRow(row).errors[column];
  const note = error ?? warning ?? (was === undefined ? undefined : was === '' ? 'Was empty' : `Was ${visible(was)}`);
  const noteId = `about-${row.id}-${column}`;
  return (
    <>
      <span aria-hidden className={classes.phoneOnly}>
        {header}
      </span>
      <input
        aria-label={`${header}, row ${index + 1}`}
        data-column={column}
        value={row.cells[column]}
        onKeyDown={(event) => {
          const step = STEPS.get(event.key);
          if (step === undefined) return;
          event.preventDefault();
          onMove(index + step, column);
        }}
        onFocus={() => onCurrent(index)}
        onChange={({ currentTarget }) => onEdit(row, column, currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
        data-odd={warning !== undefined || undefined}
        aria-invalid={error !== undefined}
        {...(note !== undefined && { 'aria-describedby': noteId })}
      />
      {note !== undefined && (
        <span
          id={noteId}
          className={error !== undefined ? classes.error : warning !== undefined ? classes.warning : classes.was}
        >
          {note}
        </span>
      )}
    </>
  );
}
