// The changes of a row with the id of an existing device: only values that the list contains, compared with the current
// device.
import type { Device, DeviceChange, Position } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { tagsCell } from '#/features/device-filters/device-columns.ts';
import { checkRow, type CellTexts, type SharedColumn } from './row-check.ts';
import { COLUMNS, oneLine, type ColumnName, type DraftRow } from './rows.ts';

/** The current fleet. */
export interface KnownFleet {
  /** Names, by `foldName`. */
  names: ReadonlySet<string>;
  /** Its groups, customers, sites and tags as they are written. */
  shared: Record<SharedColumn, readonly string[]>;
  ids: ReadonlySet<string>;
  deviceOf: (id: string) => Device | undefined;
  locationOf: (id: string) => Position | undefined;
}

export interface RowChange {
  row: DraftRow;
  device: Device;
  fields: DeviceChange;
  position: Position | undefined;
  tag: string[];
  untag: Tag[];
  /** The replaced values by column. */
  was: CellTexts;
}

const FIELDS = { name: 'DeviceName', group: 'DeviceGroup', customer: 'CustomerName', site: 'CustomerSite' } as const;
const isField = (column: ColumnName): column is keyof typeof FIELDS => column in FIELDS;

const nameOf = ({ TagId, TagName }: Tag) => TagName || TagId;

/** Undefined if there is no such device. */
export function changeOf(row: DraftRow, fleet: KnownFleet): RowChange | undefined {
  const device = row.existing && fleet.deviceOf(row.existing.id);
  if (!device || !row.existing) return undefined;
  const { columns } = row.existing;
  const { device: wanted } = checkRow(row);
  const change: RowChange = { row, device, fields: {}, position: undefined, tag: [], untag: [], was: {} };
  for (const column of COLUMNS) {
    if (!isField(column) || !columns.has(column)) continue;
    const before = oneLine(device[FIELDS[column]] ?? '');
    if (wanted[column] === before) continue;
    change.fields[FIELDS[column]] = wanted[column];
    change.was[column] = before;
  }
  // A location can be changed but not removed.
  if (columns.has('lat') && columns.has('lng') && wanted.position) {
    const before = fleet.locationOf(device.DeviceId);
    const { Lat, Lng } = wanted.position;
    if (before?.Lat !== Lat || before.Lng !== Lng) {
      change.position = wanted.position;
      change.was.lat = before ? String(before.Lat) : '';
      change.was.lng = before ? String(before.Lng) : '';
    }
  }
  const { Tags = [] } = device;
  if (columns.has('tags')) {
    change.tag = wanted.tags.filter((name) => !Tags.some((tag) => nameOf(tag) === name));
    change.untag = Tags.filter((tag) => !wanted.tags.includes(nameOf(tag)));
    if (change.tag.length + change.untag.length > 0) change.was.tags = tagsCell(device);
  }
  return change;
}

export const changedColumns = ({ was }: Pick<RowChange, 'was'>): ColumnName[] =>
  COLUMNS.filter((column) => was[column] !== undefined);
