// Devices as a table: one page of them, or the whole fleet in one scroll. Rows are plain cells, drawn only near what is in
// sight, and drawn again only when their device changed.
import { memo, useCallback, useEffect, useRef } from 'react';
import type { ChangeEvent, CSSProperties, MouseEvent } from 'react';
import { useNavigate } from 'react-router';
import type { Device } from '#/contract/devices.ts';
import { selection, useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { SelectRow, SelectShown, useSelectRange } from '#/ui/table/row-select.tsx';
import { SortHead } from '#/ui/table/sort-head.tsx';
import tableClasses from '#/ui/table/table.module.css';
import { ColumnResizer } from './column-resizer.tsx';
import { DeviceMenu } from './device-menu.tsx';
import type { ViewSort } from '#/pages/devices/view/fleet-view.ts';
import type { TableColumn } from './table-columns.tsx';
import { useFocusedPlace } from './use-focused-place.ts';
import { useRowWindow } from './use-row-window.ts';
import { useTableKeys } from '#/ui/table/use-table-keys.ts';
import classes from './device-table.module.css';

const loadMarks = () => import('./mark-hits.ts');

/** The devices on the table, in order. */
export interface TableRows {
  count: number;
  at: (place: number) => Device;
  /** All ids, in order. */
  ids: readonly string[];
  /** Rows of the whole listing before the first of these; undefined where nobody knows how many there are. */
  before: number | undefined;
  /** Rows of the whole listing; undefined where nobody knows. */
  total: number | undefined;
}

interface DeviceTableProps {
  rows: TableRows;
  columns: readonly TableColumn[];
  sort: ViewSort | undefined;
  onSort: (sort: ViewSort | null) => void;
  /** The rows are those of before while others are on their way. */
  busy: boolean;
  /** What the box in the head selects: "this page", or all that match. */
  isWhole: boolean;
  density: 'compact' | 'comfortable';
  onWidth: (id: string, width: number) => void;
  /** What was searched for, to be marked where it was found. */
  search: string | undefined;
  /** The keys of the table are asked for. */
  onHelp: () => void;
}

/** Widths of what is not a column: the box, the menu. */
const FRAME = 50 + 54;
const LEAST_NAME = 176;

export function DeviceTable({
  rows,
  columns,
  sort,
  onSort,
  busy,
  isWhole,
  density,
  onWidth,
  search,
  onHelp,
}: DeviceTableProps) {
  const { ids } = useSelection();
  const select = useSelectRange(rows.ids, selection);
  const navigate = useNavigate();
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, height } = useRowWindow(body, rows.count);
  useTableKeys(body, { ids: rows.ids, toggle: selection.toggle, onHelp });
  // Plain links: the router's own would each be drawn again at every change of the URL, a typed letter of a filter too.
  const follow = useCallback(
    (event: MouseEvent<HTMLAnchorElement>) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void navigate(event.currentTarget.pathname);
    },
    [navigate],
  );
  const least = columns.reduce((sum, { id, width }) => sum + (id === 'name' ? LEAST_NAME : width), FRAME);
  const isPart = rows.before !== undefined && (to - from < rows.count || (rows.total ?? rows.count) > rows.count);
  const places = Array.from({ length: to - from }, (_, step) => from + step);
  const { pinned, focusProps } = useFocusedPlace(rows.ids, from, to);
  const row = (place: number) => {
    const device = rows.at(place);
    return (
      <Row
        key={device.DeviceId}
        device={device}
        columns={columns}
        place={place}
        index={isPart ? (rows.before ?? 0) + place + 2 : undefined}
        selected={ids.has(device.DeviceId)}
        select={select}
        follow={follow}
      />
    );
  };
  const gap = (name: string, count: number) =>
    count > 0 && <Spacer key={name} height={count * height} columns={columns.length + 2} />;
  // A row that the reader scrolled away from while it has the focus stands apart, in its own place.
  const above = pinned >= 0 && pinned < from;
  const below = pinned >= to;
  const isMarked = useRef(false);
  useEffect(() => {
    if (search === undefined && !isMarked.current) return;
    isMarked.current = search !== undefined;
    void loadMarks().then(
      ({ markHits }) => markHits(body.current, search),
      () => {}, // nobody misses what marks would show
    );
  });
  return (
    <table
      className={`${tableClasses.table} ${classes.table}`}
      style={{ '--least': `${least}px` } as CSSProperties}
      aria-label="Devices"
      aria-busy={busy}
      data-density={density}
      {...(isPart && { 'aria-rowcount': (rows.total ?? rows.count) + 1 })}
    >
      <colgroup>
        <col className={classes.check} />
        {columns.map(({ id, width }) => (
          <col key={id} {...(id !== 'name' && { style: { width } })} />
        ))}
        <col className={classes.tools} />
      </colgroup>
      <thead>
        <tr {...(isPart && { 'aria-rowindex': 1 })}>
          <th scope="col" className={classes.check}>
            <span className="visually-hidden">Selected</span>
            <SelectShown
              shown={rows.ids}
              selected={ids}
              name={isWhole ? `Select all ${formatCount(rows.ids.length)} matching` : 'Select this page'}
              add={selection.add}
              remove={selection.remove}
            />
          </th>
          {columns.map((column) => (
            <Head key={column.id} column={column} sort={sort} onSort={onSort} onWidth={onWidth} />
          ))}
          <th scope="col" data-tools className={classes.tools}>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body} {...focusProps}>
        {[
          ...(above ? [gap('above', pinned), row(pinned), gap('up', from - pinned - 1)] : [gap('above', from)]),
          ...places.map(row),
          ...(below
            ? [gap('down', pinned - to), row(pinned), gap('below', rows.count - pinned - 1)]
            : [gap('below', rows.count - to)]),
        ]}
      </tbody>
    </table>
  );
}

/** The name of a column, to sort by it, and its edge, to make it wider. */
function Head({
  column: { id, label, width },
  sort,
  onSort,
  onWidth,
}: {
  column: TableColumn;
  sort: ViewSort | undefined;
  onSort: (sort: ViewSort | null) => void;
  onWidth: (id: string, width: number) => void;
}) {
  const now = sort?.by === id ? sort : undefined;
  return (
    <th scope="col" aria-sort={now ? (now.down ? 'descending' : 'ascending') : undefined}>
      <SortHead id={id} label={label} sort={sort} onSort={(next) => onSort(next ?? null)} />
      {/* The name takes what the others leave. */}
      {id !== 'name' && <ColumnResizer label={label} width={width} onWidth={(wanted) => onWidth(id, wanted)} />}
    </th>
  );
}

/** Stands for the rows that are out of sight. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={columns} style={{ height }}>
        {' '}
      </td>
    </tr>
  );
}

interface RowProps {
  device: Device;
  columns: readonly TableColumn[];
  place: number;
  /** Of the whole listing, for screen readers, where not all of it is drawn. */
  index: number | undefined;
  selected: boolean;
  select: (event: ChangeEvent<HTMLInputElement>) => void;
  follow: (event: MouseEvent<HTMLAnchorElement>) => void;
}

const Row = memo(function Row({ device, columns, place, index, selected, select, follow }: RowProps) {
  const { DeviceId, DeviceName } = device;
  return (
    <tr data-row={place} data-id={DeviceId} data-selected={selected || undefined} aria-rowindex={index}>
      <td className={classes.check}>
        <SelectRow id={DeviceId} name={DeviceName || DeviceId} selected={selected} onChange={select} />
      </td>
      {columns.map(({ id, className, phone, title, cell }) =>
        id === 'name' ? (
          <td key={id} className={classes.first}>
            <a href={paths.device(DeviceId)} className={tableClasses.name} title={DeviceName} onClick={follow}>
              {DeviceName || DeviceId}
            </a>
          </td>
        ) : (
          <td key={id} className={className} data-phone={phone} title={title?.(device)}>
            {cell(device)}
          </td>
        ),
      )}
      <td data-tools className={classes.tools}>
        <DeviceMenu id={DeviceId} name={DeviceName || DeviceId} />
      </td>
    </tr>
  );
});
