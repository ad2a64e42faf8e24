// The database of a service that has been started before, for commands that work beside it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Config } from './config.ts';
import type { Database } from './store/database.ts';
import { openDatabase } from './store/sqlite.ts';

/** Throws a ConfigError that says what to do if there is none. */
export async function openExisting({ dataDir, databaseUrl }: Config): Promise<Database> {
  if (databaseUrl) {
    const { openPostgres } = await import('./store/postgres.ts');
    return openPostgres(databaseUrl);
  }
  const file = path.join(dataDir, 'muster.db');
  if (!existsSync(file))
    throw new ConfigError(
      `There is no data in ${dataDir} yet: start the service once, or set DATA_DIR to the folder it uses.`,
    );
  return openDatabase(file);
}
