// Where the tables and artifacts are, or go, in the same settings as the service's.
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';

export type Places = Pick<Config, 'dataDir' | 'databaseUrl' | 'artifactStore'>;

export function readPlaces({ DATA_DIR, DATABASE_URL, ...env }: NodeJS.ProcessEnv): Places {
  const store = Object.entries(env).filter(([name]) => name === 'ARTIFACT_STORE_URL' || name.startsWith('AWS_'));
  return readConfig({ DATA_DIR, DATABASE_URL, ...Object.fromEntries(store) });
}
