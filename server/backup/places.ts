// Where the tables and the artifacts are, or go, as for the service.
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';

export type Places = Pick<Config, 'dataDir' | 'databaseUrl' | 'artifactStore'>;

export function readPlaces({ DATA_DIR, DATABASE_URL, ...env }: NodeJS.ProcessEnv): Places {
  const store = Object.entries(env).filter(([name]) => name === 'ARTIFACT_STORE_URL' || name.startsWith('AWS_'));
  return readConfig({ DATA_DIR, DATABASE_URL, ...Object.fromEntries(store) });
}
