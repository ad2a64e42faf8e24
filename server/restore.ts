// `npm run restore -- FILE`: fills an empty data folder from a backup, after checking all of it.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { restoreBackup } from './backup/restore-backup.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { refuseDatabaseUrl } from './database-url.ts';

const USAGE = `Usage: npm run restore -- FILE [--keep-waiting]
  --keep-waiting   jobs that waited when the backup was made are run; without it they end as Interrupted,
                   because they may have run since`;

try {
  const { file, keepWaiting } = readArguments();
  refuseDatabaseUrl(process.env['DATABASE_URL'], 'pg_restore');
  // Keys of an S3 store are not needed.
  const { dataDir } = readConfig({ DATA_DIR: process.env['DATA_DIR'] });
  const { manifest, artifacts, interrupted } = await restoreBackup(dataDir, path.resolve(file), { keepWaiting });
  console.log(`${dataDir} is as it was at ${manifest.Time}: the database and ${artifacts} artifacts.`);
  const { ArtifactStore } = manifest;
  if (ArtifactStore)
    console.log(
      `The files of ${ArtifactStore.Artifacts.length} artifacts are in ${ArtifactStore.Url}: start the service with that ARTIFACT_STORE_URL. Those that were deleted there since are missing.`,
    );
  if (manifest.Damaged.length > 0)
    console.log(
      `The files of ${manifest.Damaged.length} artifacts were missing then already: ${manifest.Damaged.join(', ')}.`,
    );
  if (interrupted > 0)
    console.log(`${interrupted} jobs that waited then are Interrupted: whether they ran since is not known.`);
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

function readArguments(): { file: string; keepWaiting: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: process.argv.slice(2),
      allowPositionals: true,
      options: { 'keep-waiting': { type: 'boolean', default: false } },
    });
    const [file] = positionals;
    if (file !== undefined && positionals.length === 1) return { file, keepWaiting: values['keep-waiting'] };
  } catch {
    // The usage explains it.
  }
  throw new ConfigError(USAGE);
}
