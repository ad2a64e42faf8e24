// All tables that the service has, in an order in which each row comes after those it refers to. A test compares this
// list with the tables of both engines: a new table has to be added here.
import { isUtf8 } from 'node:buffer';

export interface MovedTable {
  name: string;
  /**
   * Columns that identify a row, and by which all rows are read in order. `rowid` is the order of insertion: a column
   * only in PostgreSQL.
   */
  key: readonly string[];
  /** Most rows to have in memory at once. */
  portion?: number;
}

export const TABLES: readonly MovedTable[] = [
  { name: 'settings', key: ['key'] },
  { name: 'accounts', key: ['id'] },
  { name: 'tokens', key: ['rowid'] },
  { name: 'sessions', key: ['rowid'] },
  { name: 'signin_codes', key: ['hash'] },
  { name: 'devices', key: ['seq'] },
  { name: 'tags', key: ['rowid'] },
  { name: 'device_tags', key: ['device_seq', 'tag_id'] },
  { name: 'artifacts', key: ['seq'] },
  { name: 'workflows', key: ['seq'], portion: 100 },
  { name: 'jobs', key: ['seq'], portion: 100 },
  { name: 'idempotency_keys', key: ['account_id', 'key'] },
  { name: 'job_counts', key: ['job_seq'] },
  { name: 'job_states', key: ['account_id', 'archived', 'state', 'job_seq'] },
  { name: 'job_output', key: ['job_seq', 'stream', 'offset'], portion: 100 },
  { name: 'device_versions', key: ['device_seq', 'artifact_name'] },
  { name: 'standing_orders', key: ['seq'] },
  { name: 'standing_order_devices', key: ['order_seq', 'device_seq'] },
  { name: 'rollouts', key: ['seq'] },
  { name: 'rollout_devices', key: ['rollout_seq', 'device_id'] },
  { name: 'rollout_waves', key: ['rollout_seq', 'number'] },
  { name: 'rollout_steps', key: ['seq'] },
  { name: 'output_runs', key: ['job_seq', 'number'] },
  { name: 'tunnels', key: ['seq'] },
  { name: 'closed_tunnels', key: ['device_seq', 'protocol', 'local_dest'] },
  { name: 'bulk', key: ['seq'] },
  { name: 'bulk_items', key: ['bulk_seq', 'number'] },
  { name: 'audit', key: ['seq'] },
  { name: 'audit_hashes', key: ['audit_seq'] },
  { name: 'audit_objects', key: ['object', 'audit_seq'] },
  { name: 'notes', key: ['seq'] },
  { name: 'outcome_rules', key: ['account_id', 'name'] },
  { name: 'to_judge', key: ['job_seq'] },
  { name: 'views', key: ['account_id', 'owner', 'folded'] },
  { name: 'state_changes', key: ['at', 'device_seq'] },
  { name: 'service_gaps', key: ['from_time'] },
  { name: 'state_totals', key: ['one'] },
  { name: 'usage_days', key: ['account_id', 'day'] },
  { name: 'alert_channels', key: ['seq'] },
  { name: 'alert_rules', key: ['seq'] },
  { name: 'alert_rule_channels', key: ['rule_seq', 'channel_seq'] },
  { name: 'alert_firing', key: ['rule_seq', 'object'] },
  { name: 'alert_events', key: ['seq'] },
  { name: 'alert_jobs', key: ['seq'] },
  { name: 'alert_messages', key: ['seq'] },
  { name: 'alert_deliveries', key: ['seq'] },
  { name: 'nodes', key: ['id'] },
  { name: 'leases', key: ['name'] },
  { name: 'versions', key: ['name'] },
];
/** Empty in the target: versions are of one database, and clients begin anew with another. */
export const NOT_MOVED = ['changes', 'bulk_keys'];

const PORTION = 500;

/** `seq`: numbers that are never used twice, not even after their row was deleted. */
export const numberOf = ({ key: [first, ...others] }: MovedTable): 'seq' | 'rowid' | undefined =>
  others.length === 0 && (first === 'seq' || first === 'rowid') ? first : undefined;

export type ColumnType = 'integer' | 'real' | 'text' | 'blob';
export interface Column {
  name: string;
  type: ColumnType;
}

/** A text is its bytes in UTF-8, or in what SQLite has stored instead. */
export type Value = bigint | number | Uint8Array | null;
/** In the order of the table's columns. */
export type Row = Value[];

export interface TableReader {
  /** For errors. */
  address: string;
  columns(table: MovedTable): Promise<Column[]>;
  count(table: MovedTable): Promise<number>;
  /** The next rows in the order of the key. */
  rows(table: MovedTable, columns: Column[], after: Row | undefined, limit: number): Promise<Row[]>;
  /** The highest `seq` that was ever used, or the highest `rowid`; 0 for other tables. */
  lastNumber(table: MovedTable): Promise<bigint>;
  close(): Promise<void>;
}

export interface TableSource extends TableReader {
  /** Throws if something else has written to it since it was opened. */
  requireUnchanged(): Promise<void>;
}

export interface TableTarget extends TableReader {
  /** What an unfinished move left here, if there was one: where its artifacts were to be. */
  readonly unfinished: string | undefined;
  /** Marks the target as unfinished, and removes what an earlier move left. */
  begin(artifacts: string): Promise<void>;
  createTables(): Promise<void>;
  insert(table: MovedTable, columns: Column[], rows: Row[]): Promise<void>;
  setLastNumber(table: MovedTable, number: bigint): Promise<void>;
  /** The bytes of a text as this engine can store it. */
  storable(text: Uint8Array): Uint8Array;
  /** Makes all of it valid at once; a service can start then. */
  complete(): Promise<void>;
}

/** The rows of a table, a portion at a time. */
export async function* portionsOf(
  side: TableReader,
  table: MovedTable,
  columns: Column[],
): AsyncGenerator<Row[], void> {
  const limit = table.portion ?? PORTION;
  for (let after: Row | undefined; ;) {
    const rows = await side.rows(table, columns, after, limit);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1);
  }
}

export const quoted = (name: string): string => `"${name}"`;

/** Positions of the key's columns. */
export const keyIndexes = ({ name, key }: MovedTable, columns: Column[]): number[] =>
  key.map((part) => {
    const index = columns.findIndex((column) => column.name === part);
    if (index === -1) throw new TypeError(`${name} has no column ${part}`);
    return index;
  });

/** Whether PostgreSQL can store the text: UTF-8 without U+0000. */
export const isPlainText = (text: Uint8Array): boolean => !text.includes(0) && isUtf8(text);

/** Names a row for the operator: by its id, or else by its key. Secrets are stored as hashes, which are cut. */
export function nameOfRow(table: MovedTable, columns: Column[], row: Row): string {
  const id = columns.findIndex(({ name, type }) => name === 'id' && type === 'text');
  const indexes = id === -1 ? keyIndexes(table, columns) : [id];
  const parts = indexes.map((index) => {
    const value = row[index];
    if (!(value instanceof Uint8Array)) return String(value);
    const bytes = Buffer.from(value);
    return columns[index]?.type === 'text' ? bytes.toString() : bytes.subarray(0, 4).toString('hex');
  });
  return `${table.name} ${parts.join('/')}`;
}
