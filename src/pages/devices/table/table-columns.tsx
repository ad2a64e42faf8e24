// The columns of the device table.
import type { MouseEvent, ReactNode } from 'react';
import { IconCopy } from '@tabler/icons-react';
import type { Device } from '#/contract/devices.ts';
import { AgentMark } from '#/fleet/agent-mark.tsx';
import { problemText } from '#/fleet/agent-words.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { addressOf, inventoryLabel, isInventory, valueText } from '#/features/device-filters/inventory.ts';
import { copyWithNotice } from '#/ui/controls/copy-text.ts';
import { LastJobCell, VersionCell } from './latest-work.tsx';
import classes from './device-table.module.css';

export interface TableColumn {
  /** Its name in the URL and in stored choices. */
  id: string;
  label: string;
  /** The field that it is sorted by. */
  field: string;
  /** Pixels; the name gets what is left. */
  width: number;
  /** Only shown when it is chosen. */
  isExtra?: boolean;
  /** Read for the rows in view only, and no field of a device: it is neither sorted by nor exported. */
  isApart?: boolean;
  className?: string | undefined;
  /** A phone has no room for it. */
  phone?: 'hide';
  title?: (device: Device) => string;
  /** `follow`: for links without a load of the page. */
  cell: (device: Device, follow: (event: MouseEvent<HTMLAnchorElement>) => void) => ReactNode;
}

const timeCell = (raw: string | undefined) => (raw ? <Timestamp text={raw} /> : <span className="dim">Never</span>);
const tagNames = ({ Tags = [] }: Device) => Tags.map(({ TagId, TagName }) => TagName || TagId);
const tagsOf = (device: Device) => tagNames(device).join(', ');

/** Tags shown in a row; the tooltip has all of them. */
const MOST_CHIPS = 2;

const TagChips = ({ names }: { names: readonly string[] }) =>
  names.length > 0 && (
    <span className={classes.chips}>
      {names.slice(0, MOST_CHIPS).map((name) => (
        <span key={name} className={classes.chip}>
          {name}
        </span>
      ))}
      {names.length > MOST_CHIPS && <span className={classes.more}>+{names.length - MOST_CHIPS}</span>}
    </span>
  );

/** Stands for the fields that a service with versions has for the rows in view. */
export const LATEST_WORK = 'LatestWork';

/** Of these the name is the first cell of a row, with the link; device-table.tsx draws it. */
const COLUMNS: readonly TableColumn[] = [
  { id: 'name', label: 'Name', field: 'DeviceName', width: 240, cell: () => null },
  {
    id: 'status',
    label: 'Status',
    field: 'DeviceStatus',
    width: 152,
    className: classes.status,
    cell: (device) => {
      const problem = problemText(device);
      return (
        <>
          <StateMark state={device.DeviceStatus} />
          {problem && <AgentMark problem={problem} />}
        </>
      );
    },
  },
  {
    id: 'group',
    label: 'Group',
    field: 'DeviceGroup',
    width: 100,
    className: classes.second,
    title: ({ DeviceGroup }) => DeviceGroup,
    cell: ({ DeviceGroup }) => DeviceGroup || <span className="dim">No group</span>,
  },
  {
    id: 'tags',
    label: 'Tags',
    field: 'Tags',
    width: 150,
    phone: 'hide',
    title: tagsOf,
    cell: (device) => <TagChips names={tagNames(device)} />,
  },
  {
    id: 'customer',
    label: 'Customer',
    field: 'CustomerName',
    width: 110,
    phone: 'hide',
    title: ({ CustomerName = '' }) => CustomerName,
    cell: ({ CustomerName }) => CustomerName,
  },
  {
    id: 'site',
    label: 'Site',
    field: 'CustomerSite',
    width: 104,
    phone: 'hide',
    title: ({ CustomerSite = '' }) => CustomerSite,
    cell: ({ CustomerSite }) => CustomerSite,
  },
  {
    id: 'address',
    label: 'Address',
    field: 'LocalAddr',
    width: 124,
    phone: 'hide',
    className: 'mono dim',
    // The port of an outgoing connection says little.
    title: addressOf,
    cell: ({ LocalAddr }) => LocalAddr,
  },
  {
    id: 'lastSeen',
    label: 'Last seen',
    field: 'LastSeenTime',
    width: 84,
    className: classes.seen,
    cell: ({ LastSeenTime }) => timeCell(LastSeenTime),
  },
  {
    id: 'version',
    label: 'Version',
    field: LATEST_WORK,
    width: 104,
    isApart: true,
    phone: 'hide',
    cell: ({ DeviceId }) => <VersionCell id={DeviceId} />,
  },
  {
    id: 'lastJob',
    label: 'Last job',
    field: LATEST_WORK,
    width: 104,
    isApart: true,
    phone: 'hide',
    cell: ({ DeviceId }, follow) => <LastJobCell id={DeviceId} follow={follow} />,
  },
  {
    id: 'created',
    label: 'Created',
    field: 'CreatedTime',
    width: 96,
    isExtra: true,
    phone: 'hide',
    cell: ({ CreatedTime }) => CreatedTime && timeCell(CreatedTime),
  },
  {
    id: 'id',
    label: 'ID',
    field: 'DeviceId',
    width: 108,
    phone: 'hide',
    cell: ({ DeviceId, DeviceName }) => <IdCell id={DeviceId} name={DeviceName} />,
  },
];

/** Always shown: every service reports them. */
const ALWAYS = new Set(['name', 'status', 'group', 'address', 'id']);

/** The field behind a word of the URL: a column's, or a field's own name. */
export const fieldOf = (word: string): string => COLUMNS.find(({ id }) => id === word)?.field ?? word;

/** The columns with a value for any device, in their default order. `fields`: those that the service reports. */
export function columnsFilledBy(fields: ReadonlySet<string>): TableColumn[] {
  const inventory = [...fields].filter(isInventory).sort();
  return [
    ...COLUMNS.filter(({ id, field }) => ALWAYS.has(id) || fields.has(field)),
    ...inventory.map((field) => ({
      id: field,
      label: inventoryLabel(field),
      field,
      width: 130,
      isExtra: true,
      phone: 'hide' as const,
      title: (device: Device) => valueText(device[field]),
      cell: (device: Device) => valueText(device[field]),
    })),
  ];
}

const isEmpty = (value: unknown) => value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields that rows have, for a table without the whole fleet. */
export function fieldsOf(rows: readonly Device[]): Set<string> {
  const filled = new Set<string>();
  for (const row of rows)
    for (const name in row)
      // An empty time means "never"; any other column that is empty in every row would only take room.
      if (name.endsWith('Time') || !isEmpty(row[name])) filled.add(name);
  return filled;
}

/** The id, shortened, and a button that copies the whole one. */
function IdCell({ id, name }: { id: string; name: string }) {
  return (
    <span className={classes.id}>
      <span className="mono" title={id} data-id-text>
        {id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-5)}` : id}
      </span>
      <button
        type="button"
        aria-label={`Copy id of ${name}`}
        title="Copy id"
        onClick={() => void copyWithNotice(id, 'Id copied')}
      >
        <IconCopy size={14} stroke={1.6} aria-hidden />
      </button>
    </span>
  );
}
