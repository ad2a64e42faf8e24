// A snapshot of the whole fleet in memory: sorted by any column, searched, counted by value, in milliseconds for
// 100,000 devices. A newer reading is another index; unchanged parts are the same objects.
import type { Device } from '#/contract/devices.ts';
import { CodeColumn, TextColumn, TimeColumn, type Places } from './columns.ts';
import { ABSENT, EMPTY, Words } from './dictionary.ts';
import { Search, facetSteps, maskSteps, type Facet, type FacetValue, type RowFilter } from './filter.ts';
import { atOnce, runChunked } from '#/lib/pace.ts';
import { storedSortOrder, sortSteps, pick } from './sort.ts';
import { builtAt, deviceAt, type Table } from './table.ts';

/** A field by its wire name (or DeviceId, Lat, Lng), and the direction. */
export interface RowSort {
  by: string;
  down?: boolean;
}

export interface RowQuery {
  filter?: RowFilter;
  /** Without it: the service's own order. */
  sort?: RowSort | undefined;
}

export type FacetCounts = Record<Exclude<Facet, 'tag'>, FacetValue[]> & { tag: FacetValue[] | undefined };

interface Coded {
  texts: readonly string[];
  code: (row: number) => number;
}

const codedColumns = new WeakMap<CodeColumn, Coded>();
const idsOfRows = new WeakMap<Uint32Array, readonly string[]>();

const extraColumns = new WeakMap<ReadonlyMap<string, string>, { size: number; column: CodeColumn }>();

/** The same column while no value changes and no device is new, so that its sort order is kept. */
function extraColumn({ size, rowOf }: Table, values: ReadonlyMap<string, string>): CodeColumn {
  const known = extraColumns.get(values);
  if (known?.size === size) return known.column;
  const column = new CodeColumn(new Words());
  for (const [id, value] of values) {
    const row = rowOf.get(id);
    if (row !== undefined) column.put(row, value);
  }
  extraColumns.set(values, { size, column });
  return column;
}

let readTable: (index: FleetIndex) => Table;
/** For modules in fleet/, which derive new tables. All others use the index. */
export const tableOf = (index: FleetIndex): Table => readTable(index);

export class FleetIndex {
  /** The index of the next version of the table; the same if there is none. */
  with(table: Table): FleetIndex {
    return table === this.#table ? this : new FleetIndex(table, this.complete, this);
  }

  /** The index with more fields, each with its values by device id. */
  withFields(fields: ReadonlyMap<string, ReadonlyMap<string, string>>): FleetIndex {
    const columns = new Map(this.#table.columns);
    for (const [field, values] of fields) columns.set(field, extraColumn(this.#table, values));
    return this.with({ ...this.#table, columns, cached: new Map() });
  }

  static {
    readTable = (index) => index.#table;
  }

  readonly #table: Table;
  /** False if devices were added and removed during every reading: a few may be missing, or deleted ones present. */
  readonly complete: boolean;
  private readonly search: Search;
  private hasTags: boolean | undefined;

  /** `before`: the index of which this is the next version. */
  constructor(table: Table, complete = true, before?: FleetIndex) {
    this.#table = table;
    this.complete = complete;
    this.search = new Search(table, before?.search);
  }

  /** Whether the first reading is unfinished, so that more devices follow. */
  get isPart(): boolean {
    return this.#table.isPart === true;
  }

  /** Number of devices. */
  get size(): number {
    return this.#table.order.length;
  }

  /** Whether the service lists any device with its tags, possibly none. */
  get includesTags(): boolean {
    const column = this.#table.columns.get('Tags');
    return (this.hasTags ??=
      column instanceof CodeColumn && this.#table.order.some((row) => column.code(row) !== ABSENT));
  }

  /** All rows, in the service's order. */
  get rows(): Uint32Array {
    return this.#table.order;
  }

  /** Locations by row; undefined until they have been read. */
  get places(): Places | undefined {
    return this.#table.places;
  }

  /** The rows that match the filter, sorted; rows without a value come last. */
  query({ filter = {}, sort }: RowQuery = {}): Uint32Array {
    const table = this.#table;
    const { mask, count } = atOnce(maskSteps(table, filter, this.search));
    const order = sort && atOnce(sortSteps(table, sort.by));
    if (order) return pick(order, mask, count, sort.down ?? false);
    return count === this.size ? table.order : table.order.filter((row) => mask[row] === 1);
  }

  /** Whether a query with this sort is immediate. Otherwise call `prepare` first: sorting texts takes time. */
  isPrepared(by: string | undefined): boolean {
    return by === undefined || this.size <= 5_000 || storedSortOrder(this.#table, by) !== undefined;
  }

  /** Sorts by a column in short tasks; `before`: an earlier index, which makes it faster. */
  async prepare(by: string, before?: FleetIndex): Promise<void> {
    await runChunked(sortSteps(this.#table, by, before && tableOf(before)));
  }

  /**
   * The values of each facet with their counts, each facet under the filters of all the others. `only`: the facets to
   * count. Tags are undefined if the service does not report them.
   */
  *facetSteps(filter: RowFilter = {}, only?: readonly Facet[]): Generator<void, FacetCounts> {
    const counts = yield* facetSteps(this.#table, filter, this.search, only);
    return this.includesTags ? counts : { ...counts, tag: undefined };
  }

  /** The same in one task. */
  facets(filter?: RowFilter, only?: readonly Facet[]): FacetCounts {
    return atOnce(this.facetSteps(filter, only));
  }

  /** The given rows with the latest times, the latest first: a few are found without sorting the fleet. */
  latest(rows: Uint32Array, by: 'CreatedTime' | 'LastSeenTime', most: number): number[] {
    const column = this.#table.columns.get(by);
    if (!(column instanceof TimeColumn)) return [];
    const found: number[] = [];
    for (const row of rows) {
      const time = column.time(row);
      if (!Number.isFinite(time) || (found.length === most && time <= column.time(found[most - 1]!))) continue;
      const place = found.findIndex((other) => column.time(other) < time);
      found.splice(place < 0 ? found.length : place, 0, row);
      if (found.length > most) found.pop();
    }
    return found;
  }

  /** A row's time in milliseconds; NaN if it is unknown or never. */
  timeOf(row: number, by: 'CreatedTime' | 'LastSeenTime'): number {
    const column = this.#table.columns.get(by);
    const time = column instanceof TimeColumn ? column.time(row) : Number.NaN;
    return Number.isFinite(time) ? time : Number.NaN;
  }

  /** A row's value of a field as text; '' for none. */
  textOf(row: number, field: string): string {
    const value = this.#table.columns.get(field)?.value(row);
    return typeof value === 'string' ? value : '';
  }

  /**
   * A field of few values as numbers, for reading very many rows: the value of a row is `texts[code(row)]`. The same
   * object as long as no row has another value.
   */
  coded(field: string): Coded | undefined {
    const column = this.#table.columns.get(field);
    if (!(column instanceof CodeColumn)) return undefined;
    const coded = codedColumns.get(column) ?? { texts: column.dictionary.texts, code: (row) => column.code(row) };
    codedColumns.set(column, coded);
    return coded;
  }

  idOf(row: number): string {
    return this.#table.ids[row] ?? '';
  }

  /** The ids of rows, in their order. */
  ids(rows: Iterable<number>): string[] {
    return Array.from(rows, (row) => this.idOf(row));
  }

  /** The same, once for each array: a row's id is the same in every version. */
  idsOf(rows: Uint32Array): readonly string[] {
    const known = idsOfRows.get(rows) ?? this.ids(rows);
    idsOfRows.set(rows, known);
    return known;
  }

  /** The row of a device; it is the same in every later index. */
  rowOf(id: string): number | undefined {
    const row = this.#table.rowOf.get(id);
    return row !== undefined && this.has(row) ? row : undefined;
  }

  has(row: number): boolean {
    return this.#table.alive[row] === 1;
  }

  /** The device of a row; the same object while it does not change. */
  device(row: number): Device {
    return deviceAt(this.#table, row);
  }

  /** The same without caching, for reading very many rows. */
  uncachedDevice(row: number): Device {
    return builtAt(this.#table, row);
  }

  /** The fields that any device has: those worth a column. */
  fields(): string[] {
    const { columns, order } = this.#table;
    return Array.from(columns)
      .filter(([, column]) =>
        order.some((row) =>
          column instanceof CodeColumn
            ? column.code(row) > EMPTY
            : column instanceof TimeColumn
              ? column.value(row) !== undefined
              : column instanceof TextColumn && column.text(row) !== '',
        ),
      )
      .map(([name]) => name);
  }
}
