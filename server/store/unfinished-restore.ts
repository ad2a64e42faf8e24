// The marks that a restore leaves in its target until it is complete. No service starts on such a target, where it
// would mistake part of the data for all of it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';

/** A folder in DATA_DIR with what has been restored so far. */
export const UNFINISHED_FOLDER = 'unfinished-restore';
/** A table in PostgreSQL, which the transaction that fills the other tables drops. */
export const UNFINISHED_TABLE = 'unfinished_restore';
/** Earlier versions had a separate command to move data, which left these. */
const FOLDERS = [UNFINISHED_FOLDER, 'unfinished-move'];
export const UNFINISHED_TABLES = [UNFINISHED_TABLE, 'unfinished_move'];

export const unfinishedRestore = (where: string, mark: string): ConfigError =>
  new ConfigError(
    `${where} cannot be used: a restore to it is under way or was not finished. Run that restore again, or delete ${mark} there to do without it.`,
  );

/** Refuses a data folder whose restore did not finish. */
export function requireFinishedFolder(dataDir: string): void {
  for (const folder of FOLDERS)
    if (existsSync(path.join(dataDir, folder))) throw unfinishedRestore(dataDir, `the folder ${folder}`);
}
