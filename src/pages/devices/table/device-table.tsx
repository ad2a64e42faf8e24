// Devices as a table: one page of them, or the whole fleet in one scroll. All rows are of one height, only those near the
// view are drawn, and each is drawn again only when its device changed.
import { useOffered } from '#/api/capabilities.ts';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
  type RefObject,
} from 'react';
import { useNavigate } from 'react-router';
import { IconDots } from '@tabler/icons-react';
import type { Device } from '#/contract/devices.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { BaseTable, rowName, type Column } from '#/ui/table/table.tsx';
import { useFixedRows } from '#/ui/table/use-fixed-rows.ts';
import { useHeldOrder } from '#/ui/table/use-held-order.ts';
import { useTableKeys } from '#/ui/table/use-table-keys.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { lazyMenu, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { ColumnResizer } from './column-resizer.tsx';
import { leastWidth } from './fitting-columns.ts';
import { WorkContext, createWorkStore } from './latest-work.tsx';
import { markHits } from './mark-hits.ts';
import type { TableColumn } from './table-columns.tsx';
import classes from './device-table.module.css';

const LatestWorkReader = lazyPart(() => import('./latest-work-reader.tsx'), 'LatestWorkReader');
const DeviceMenuItems = lazyMenu(() => import('./device-menu-items.tsx'), 'DeviceMenuItems');

export interface TableRows {
  count: number;
  /** Undefined for one that does not exist any more. */
  find: (id: string) => Device | undefined;
  ids: readonly string[];
  /** Rows of the whole listing before the first of these; undefined where that is not known. */
  before: number | undefined;
  total: number | undefined;
}

interface DeviceTableProps {
  rows: TableRows;
  columns: readonly TableColumn[];
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
  /** The previous rows are shown while others load. */
  busy: boolean;
  /** The checkbox in the header selects all matching devices, not one page. */
  isUnpaged: boolean;
  density: 'compact' | 'comfortable';
  onWidth: (id: string, width: number) => void;
  /** Its matches are highlighted. */
  search: string | undefined;
}

const idOf = ({ DeviceId }: Device) => DeviceId;
const nameOf = ({ DeviceId, DeviceName }: Device) => DeviceName || DeviceId;

const ACTIONS: Column<Device> = {
  header: 'Actions',
  tools: true,
  width: '54px',
  cell: (device) => <DeviceMenu id={device.DeviceId} name={nameOf(device)} />,
};

/** Follows plain links: the router's own would render again with each change of the URL, such as a typed letter. */
function useFollow() {
  const navigate = useNavigate();
  return useCallback(
    (event: MouseEvent<HTMLAnchorElement>) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const { pathname, search } = event.currentTarget;
      void navigate(pathname + search);
    },
    [navigate],
  );
}

function useTableColumns(columns: readonly TableColumn[], follow: ReturnType<typeof useFollow>): Column<Device>[] {
  return useMemo(
    () => [
      ...columns.map(({ id, label, width, isApart, className, phone, title, cell }): Column<Device> =>
        id === 'name'
          ? {
              header: label,
              by: id,
              className: classes.first,
              cell: (device) => (
                <a href={paths.device(device.DeviceId)} className={rowName} onClick={follow}>
                  <MiddleEllipsis text={nameOf(device)} column="devices" />
                </a>
              ),
            }
          : {
              header: label,
              ...(!isApart && { by: id }),
              width: `${width}px`,
              className,
              title,
              cell: (device) => cell(device, follow),
              ...(phone && { phone }),
            },
      ),
      ACTIONS,
    ],
    [columns, follow],
  );
}

function useMarkedHits(body: RefObject<HTMLElement | null>, search: string | undefined): void {
  const isMarked = useRef(false);
  useEffect(() => {
    if (search === undefined && !isMarked.current) return;
    isMarked.current = search !== undefined;
    // Names are shortened to their columns at the end of the next frame, which splits their text nodes.
    requestAnimationFrame(() => setTimeout(() => markHits(body.current, search)));
  });
}

/** The rows as sorted on the screen, and those of them near the viewport. */
function useShownRows(
  body: RefObject<HTMLTableSectionElement | null>,
  { rows: { ids, find }, isUnpaged }: DeviceTableProps,
  toggle: (id: string) => void,
) {
  const exists = useCallback((id: string) => isUnpaged && find(id) !== undefined, [isUnpaged, find]);
  const shown = useHeldOrder(body, ids, exists);
  useTableKeys(body, { ids: shown, toggle });
  return { shown, ...useFixedRows(body, shown) };
}

export function DeviceTable(props: DeviceTableProps) {
  const { rows, columns, sort, onSort, busy, isUnpaged, density, onWidth, search } = props;
  const { ids, add, remove, toggle } = useSelection();
  const body = useRef<HTMLTableSectionElement>(null);
  const { shown, drawn, focus } = useShownRows(body, props, toggle);
  const follow = useFollow();
  const tableColumns = useTableColumns(columns, follow);
  const inView = drawn.rows.map(({ index }) => shown[index] ?? '');
  const isWorkRead = useOffered('versions') === true && columns.some(({ isApart }) => isApart);
  const [work] = useState(createWorkStore);
  const total = rows.total ?? rows.count;
  const isPart = rows.before !== undefined && (drawn.rows.length < rows.count || total > rows.count);
  useMarkedHits(body, search);
  return (
    <WorkContext value={work}>
      <LatestWorkReader open={isWorkRead && { ids: inView, store: work }} />
      <BaseTable
        name="Devices"
        columns={tableColumns}
        drawn={drawn}
        rowAt={(index) => rows.find(shown[index] ?? '')}
        rowKey={idOf}
        part={isPart ? { before: rows.before ?? 0, total } : undefined}
        selection={{
          ids,
          add,
          remove,
          toggle,
          nameOf,
          shown,
          all: isUnpaged ? `Select all ${formatCount(shown.length)} matching` : 'Select this page',
        }}
        sort={sort}
        onSort={onSort}
        // The name takes what the others leave.
        edgeOf={(index) => {
          const column = columns[index];
          if (!column || column.id === 'name') return null;
          const { id, label, width } = column;
          return <ColumnResizer label={label} width={width} onWidth={(wanted) => onWidth(id, wanted)} />;
        }}
        table={{
          className: classes.table,
          style: { '--least': `${leastWidth(columns)}px` } as CSSProperties,
          'aria-busy': busy,
          'data-density': density,
        }}
        body={{ ref: body, ...focus }}
      />
    </WorkContext>
  );
}

/** What can be done to one row. A plain button until it is first used: there are up to 1,000 of them. */
function DeviceMenu({ id, name }: { id: string; name: string }) {
  const button = {
    className: 'sign',
    'aria-label': `Actions for ${name}`,
    'aria-haspopup': 'menu',
    children: <IconDots size={18} stroke={1.6} aria-hidden />,
  } as const;
  return <DeviceMenuItems id={id} button={button} />;
}
