// What `npm run move` leaves in a target until all of it is there and checked. No service starts on such a target: it
// would take a part of the data for all of it, or begin anew beside it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';

/** In a data folder: what has arrived so far. */
export const UNFINISHED_FOLDER = 'unfinished-move';
/** In PostgreSQL: names the place of the artifacts. The other tables come with the transaction that removes it. */
export const UNFINISHED_TABLE = 'unfinished_move';
/** How the object of an S3 store that names its owner begins. */
export const UNFINISHED_OWNER = 'unfinished move of ';

export const UNFINISHED_WHY = 'a move to it is under way or was not finished: run that "npm run move" again';

export const unfinishedMove = (where: string, mark: string): ConfigError =>
  new ConfigError(`${where} cannot be used: ${UNFINISHED_WHY}, or delete ${mark} there to begin anew.`);

/** Refuses a data folder that a move has not filled to the end. */
export function requireFinishedMove(dataDir: string): void {
  if (existsSync(path.join(dataDir, UNFINISHED_FOLDER)))
    throw unfinishedMove(dataDir, `the folder ${UNFINISHED_FOLDER}`);
}
