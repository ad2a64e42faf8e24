// Where everything is, and where it is to be: read from the environment and from what `--to` names.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';
import { readConfig } from '../config.ts';
import { placeOf, readDatabaseUrl } from '../database-url.ts';
import { readS3Config } from '../s3-config.ts';
import type { S3Config } from '../s3-config.ts';

export interface Places {
  /** The PostgreSQL database of the tables, or the folder of the embedded one. */
  tables: URL | string;
  /** The S3 store of the artifacts, or the data folder that they are in. */
  artifacts: S3Config | string;
}

export interface MovePlan {
  from: Places;
  to: Places;
  movesTables: boolean;
  movesArtifacts: boolean;
}

type Environment = Record<string, string | undefined>;

export const tablesAt = (tables: Places['tables']): string => (typeof tables === 'string' ? tables : placeOf(tables));
export const artifactsAt = (artifacts: Places['artifacts']): string =>
  typeof artifacts === 'string' ? artifacts : artifacts.address;

/** `targets`: a PostgreSQL database, an S3 store, a folder, or several of them. What none of them is for stays. */
export function planMove(env: Environment, targets: string[]): MovePlan {
  const { DATA_DIR, DATABASE_URL, ARTIFACT_STORE_URL } = env;
  const keys = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('AWS_')));
  const { dataDir, databaseUrl, artifactStore } = readConfig({ ...keys, DATA_DIR, DATABASE_URL, ARTIFACT_STORE_URL });
  const from: Places = { tables: databaseUrl ?? dataDir, artifacts: artifactStore ?? dataDir };

  const one = (what: string, fits: RegExp): string | undefined => {
    const [found, ...others] = targets.filter((target) => fits.test(target));
    if (others.length > 0) throw new ConfigError(`--to names more than one ${what}.`);
    return found;
  };
  const folderName = one('folder', /^(?!\w+:\/\/)/);
  const folder = folderName === undefined ? undefined : path.resolve(folderName);
  const database = readDatabaseUrl(one('PostgreSQL database', /^postgres(ql)?:\/\//), '--to');
  const store = readS3Config((name) => env[name]?.trim() || undefined, {
    url: one('S3 store', /^s3:\/\//) ?? '',
    setting: '--to',
  });
  const other = targets.find((target) => /^(?!postgres(ql)?:|s3:)\w+:\/\//.test(target));
  if (other !== undefined)
    // It may contain a password.
    throw new ConfigError(
      `--to names a place of the kind "${other.split(':')[0]}:", but it can be postgres://…, s3://… or a folder.`,
    );
  if (folder !== undefined && isWithin(folder, dataDir))
    throw new ConfigError(`--to is "${folder}", but that is the folder of the source: name another one.`);

  const to: Places = {
    tables: database ?? folder ?? from.tables,
    artifacts: store ?? folder ?? from.artifacts,
  };
  const movesTables = !isSame(from.tables, to.tables);
  const movesArtifacts = artifactsAt(from.artifacts) !== artifactsAt(to.artifacts);
  if (!movesTables && !movesArtifacts) throw new ConfigError('Everything is already in what --to names.');
  return { from, to, movesTables, movesArtifacts };
}

/** The same database may have more than one user. */
function isSame(one: URL | string, other: URL | string): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return (
    one.hostname === other.hostname &&
    (one.port || '5432') === (other.port || '5432') &&
    one.pathname === other.pathname
  );
}

/** Whether a folder is another one, or inside it. */
function isWithin(folder: string, other: string): boolean {
  const real = (name: string): string =>
    existsSync(name) || path.dirname(name) === name
      ? realpathSync(name)
      : path.join(real(path.dirname(name)), path.basename(name));
  const way = path.relative(real(other), real(folder));
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}
