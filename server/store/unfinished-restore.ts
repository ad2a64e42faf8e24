// What a restore leaves in its target until everything is there. No service starts on such a target: it would take a part
// of the data for all of it, or start with none.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';

/** In DATA_DIR: what has arrived so far. */
export const UNFINISHED_FOLDER = 'unfinished-restore';
/** In PostgreSQL. The transaction that fills the other tables removes it. */
export const UNFINISHED_TABLE = 'unfinished_restore';
/** Earlier versions moved data with a command of its own, and left these. */
const FOLDERS = [UNFINISHED_FOLDER, 'unfinished-move'];
export const UNFINISHED_TABLES = [UNFINISHED_TABLE, 'unfinished_move'];

export const unfinishedRestore = (where: string, mark: string): ConfigError =>
  new ConfigError(
    `${where} cannot be used: a restore to it is under way or was not finished. Run that restore again, or delete ${mark} there to do without it.`,
  );

/** Refuses a data folder that was not filled to the end. */
export function requireFinishedFolder(dataDir: string): void {
  for (const folder of FOLDERS)
    if (existsSync(path.join(dataDir, folder))) throw unfinishedRestore(dataDir, `the folder ${folder}`);
}
