// The data of a stopped service, which a move reads and never changes.
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { KnownFile } from '../store/artifact-files.ts';
import { lockFolder } from '../store/lock.ts';
import { requireFinishedMove } from '../store/unfinished-move.ts';
import type { Places } from './places.ts';
import { openSqliteSource } from './sqlite-tables.ts';
import { portionsOf, TABLES } from './tables.ts';
import type { TableSource, Value } from './tables.ts';

/** What is open, to be closed in reverse order. */
export type Closers = (() => void | Promise<void>)[];

/** Opens the tables, and locks the folders of tables and artifacts. */
export async function openSource({ tables, artifacts }: Places, closers: Closers): Promise<TableSource> {
  for (const folder of new Set([tables, artifacts].filter((place) => typeof place === 'string'))) {
    if (!existsSync(folder))
      throw new ConfigError(`There is no folder ${folder}: set DATA_DIR to that of the service.`);
    requireFinishedMove(folder);
    // A service doesn't lock a folder either that it can't write.
    if (!isWritable(folder)) continue;
    const lock = lockFolder(folder);
    closers.push(() => lock.release());
  }
  if (typeof tables !== 'string') {
    const { openPostgresSource } = await import('./postgres-tables.ts');
    const source = await openPostgresSource(tables);
    closers.push(() => source.close());
    return source;
  }
  const file = path.join(tables, 'muster.db');
  if (!existsSync(file))
    throw new ConfigError(`There is no muster.db in ${tables}: set DATA_DIR to the folder that the service uses.`);
  const source = openSqliteSource(file);
  closers.push(() => source.close());
  return source;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The id of the installation, and its artifacts. */
export async function readFacts(source: TableSource): Promise<{ instanceId: string; artifacts: KnownFile[] }> {
  const read = async (name: string): Promise<Record<string, string>[]> => {
    const found: Record<string, string>[] = [];
    const table = TABLES.find((each) => each.name === name);
    if (!table) throw new TypeError(`There is no table ${name}`);
    const columns = await source.columns(table);
    const text = (value: Value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value));
    for await (const rows of portionsOf(source, table, columns))
      for (const row of rows)
        found.push(Object.fromEntries(columns.map((column, index) => [column.name, text(row[index] ?? null)])));
    return found;
  };
  const instanceId = (await read('settings')).find(({ key }) => key === 'instance')?.['value'];
  if (instanceId === undefined) throw new ConfigError(`${source.address} holds no data of a Muster service.`);
  const artifacts = (await read('artifacts')).map(({ id = '', name = '', version = '', size_bytes, sha256 = '' }) => ({
    id,
    name,
    version,
    sizeBytes: Number(size_bytes),
    sha256,
  }));
  return { instanceId, artifacts };
}
