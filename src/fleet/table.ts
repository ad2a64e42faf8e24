// The rows of a fleet, by column. A row's number belongs to one device as long as the fleet is in memory; a Table never
// changes, and a Draft writes its next version.
import type { Device } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { sameValues } from '#/lib/same-values.ts';
import { TagLists, Words } from './dictionary.ts';
import { CodeColumn, TextColumn, TimeColumn, type FleetColumn, type Places } from './columns.ts';
import { haystackOf } from './text.ts';

export interface Table {
  /** Row numbers in use, including those of deleted devices. */
  size: number;
  /** The existing devices, in the service's order. */
  order: Uint32Array;
  /** 1 for each existing row. */
  alive: Uint8Array;
  /** For all versions: the row of an id and the id of a row. */
  rowOf: Map<string, number>;
  ids: string[];
  /** By wire name. */
  columns: Map<string, FleetColumn>;
  /** The searched text, as `haystackOf` writes it. */
  haystack: TextColumn;
  places: Places | undefined;
  /** The reading is unfinished: more devices follow. */
  isPart?: boolean;
  /** Returned devices, so that an unchanged one is the same object again. */
  cached: Map<number, Device>;
}

const TEXTS = ['DeviceName', 'LocalAddr', 'SysHostname', 'SysMacAddress'];
const TIMES = ['CreatedTime', 'LastSeenTime'];
const CODES = ['DeviceGroup', 'DeviceStatus', 'LocalPort', 'CustomerName', 'CustomerSite'];
/** The fields that are searched besides the name, id and tags. */
const SEARCHED = ['DeviceGroup', 'CustomerName', 'CustomerSite'];
/** Most fields beyond the contract's that get a column, because a service may send anything. */
const MOST_COLUMNS = 64;

export function emptyTable(): Table {
  return {
    size: 0,
    order: new Uint32Array(0),
    alive: new Uint8Array(0),
    rowOf: new Map(),
    ids: [],
    columns: new Map<string, FleetColumn>([
      ...TEXTS.map((name) => [name, new TextColumn()] as const),
      ...CODES.map((name) => [name, new CodeColumn(new Words())] as const),
      ['Tags', new CodeColumn(new TagLists())],
      ...TIMES.map((name) => [name, new TimeColumn()] as const),
    ]),
    haystack: new TextColumn(),
    places: undefined,
    cached: new Map(),
  };
}

/** The next version of a table, while it is written. */
export class Draft {
  private readonly base: Table;
  private readonly columns: Map<string, FleetColumn>;
  private readonly haystack: TextColumn;
  /** The rows that are different from before. */
  readonly changed = new Set<number>();

  constructor(base: Table) {
    this.base = base;
    this.columns = new Map(Array.from(base.columns, ([name, column]) => [name, column.fork()]));
    this.haystack = base.haystack.fork();
  }

  /** Writes a new or known device, and returns its row. */
  put(device: Device): number {
    const { rowOf, ids } = this.base;
    const { DeviceId: id } = device;
    let row = rowOf.get(id);
    if (row === undefined) {
      row = ids.push(id) - 1;
      rowOf.set(id, row);
    }
    for (const name in device)
      if (name !== 'DeviceId' && !this.columns.has(name) && this.columns.size < MOST_COLUMNS)
        this.columns.set(name, new CodeColumn(new Words()));
    let changed = false;
    for (const [name, column] of this.columns) if (column.put(row, device[name])) changed = true;
    if (changed) this.touch(row);
    return row;
  }

  /** Writes some fields of an existing device. */
  change(row: number, fields: Record<string, unknown>): void {
    let changed = false;
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined && this.columns.get(name)?.put(row, value)) changed = true;
    if (changed) this.touch(row);
  }

  /** Adds a tag to the tags of an existing device, or removes it, where the service reports them. */
  tag(row: number, tag: Tag, on: boolean): void {
    const before = this.columns.get('Tags')?.value(row) as Tag[] | undefined;
    if (!before || before.some(({ TagId }) => TagId === tag.TagId) === on) return;
    this.change(row, { Tags: on ? [...before, tag] : before.filter(({ TagId }) => TagId !== tag.TagId) });
  }

  private touch(row: number): void {
    this.changed.add(row);
    const text = (name: string) => {
      const value = this.columns.get(name)?.value(row);
      return typeof value === 'string' ? value : '';
    };
    const tags = (this.columns.get('Tags')?.value(row) ?? []) as readonly Tag[];
    const others = [...SEARCHED.map(text), ...tags.map(({ TagName }) => TagName)].filter(Boolean);
    this.haystack.put(row, haystackOf(text('DeviceName'), this.base.ids[row] ?? '', others));
  }

  /**
   * The rows that have been read so far. The columns are copies, because sort orders are cached by column and the
   * reading continues to write to these.
   */
  part(order: Uint32Array): Table {
    const columns = new Map(Array.from(this.columns, ([name, column]) => [name, column.fork()]));
    return { ...this.finish(order), columns, haystack: this.haystack.fork(), isPart: true };
  }

  /** The version with the devices of these rows in this order; the old one if nothing is different. */
  finish(order: Uint32Array): Table {
    const { base, changed } = this;
    const sameOrder = sameValues(order, base.order);
    if (sameOrder && changed.size === 0) return base;
    const settled = <Kind extends FleetColumn>(column: Kind, before: Kind | undefined): Kind =>
      before === undefined || column.changed ? column : before;
    const isSame = sameOrder && base.alive.length === base.ids.length;
    const alive = isSame ? base.alive : new Uint8Array(base.ids.length);
    if (!isSame) for (const row of order) alive[row] = 1;
    return {
      ...base,
      size: base.ids.length,
      order: sameOrder ? base.order : order,
      alive,
      columns: new Map(Array.from(this.columns, ([name, column]) => [name, settled(column, base.columns.get(name))])),
      haystack: settled(this.haystack, base.haystack),
      cached: new Map(Array.from(base.cached).filter(([row]) => alive[row] === 1 && !changed.has(row))),
    };
  }
}

/** A device as in the contract, rebuilt from its columns; the same object while it does not change. */
export function deviceAt(table: Table, row: number): Device {
  const cached = table.cached.get(row);
  if (cached) return cached;
  const device = builtAt(table, row);
  table.cached.set(row, device);
  return device;
}

/** The same without caching, for reading very many rows. */
export function builtAt(table: Table, row: number): Device {
  const fields: Record<string, unknown> = { DeviceId: table.ids[row] };
  for (const [name, column] of table.columns) {
    const value = column.value(row);
    if (value !== undefined) fields[name] = value;
  }
  for (const name of ['DeviceGroup', 'LocalPort']) fields[name] ??= '';
  fields['DeviceStatus'] ??= 'Unknown';
  return fields as Device;
}
