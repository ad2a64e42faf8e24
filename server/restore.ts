// `npm run restore -- FILE`: fills what DATA_DIR, DATABASE_URL and ARTIFACT_STORE_URL name from a backup.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readPlaces } from './backup/places.ts';
import { listed, restoreBackup } from './backup/restore-backup.ts';
import { ConfigError } from './config-error.ts';
import { placeOf } from './database-url.ts';

const USAGE = `Usage: npm run restore -- FILE [--keep-waiting | --interrupt-waiting] [--replace-characters]
  --keep-waiting         jobs that waited are sent; so it is if the service was stopped when the backup was made
  --interrupt-waiting    they end as Interrupted; so it is if the service ran, because they may have run since
  --replace-characters   characters that PostgreSQL cannot store become U+FFFD, instead of ending the restore

DATA_DIR, DATABASE_URL, ARTIFACT_STORE_URL and AWS_… name where everything goes: empty places, of any kind.`;

try {
  const { file, ...options } = readArguments();
  const places = readPlaces(process.env);
  const { dataDir, databaseUrl, artifactStore } = places;
  const restored = await restoreBackup(places, path.resolve(file), { ...options, report: (line) => console.log(line) });
  const { time, artifacts, artifactsIn, damaged, waiting, areInterrupted, replaced } = restored;
  console.log(
    `${databaseUrl ? placeOf(databaseUrl) : dataDir} is as the service was at ${time}, with ${artifacts} artifacts in ${artifactStore?.address ?? dataDir}.`,
  );
  if (artifactsIn !== undefined)
    console.log(
      `The files of the artifacts are not in the backup: start the service with ARTIFACT_STORE_URL=${artifactsIn}. Those that were deleted there since are missing.`,
    );
  if (damaged.length > 0)
    console.log(`The files of ${damaged.length} artifacts were missing then already: ${damaged.join(', ')}.`);
  if (replaced.count > 0)
    console.log(
      `${replaced.count} texts hold U+FFFD for characters that PostgreSQL cannot store: ${listed(replaced)}.`,
    );
  if (waiting > 0 && areInterrupted)
    console.log(`${waiting} jobs that waited then are Interrupted: whether they ran since is not known.`);
  else if (waiting > 0)
    console.log(
      `${waiting} jobs wait. If the service ran again after the backup, restore it with --interrupt-waiting: they may have run.`,
    );
  console.log('Start the service with the same settings. Never run it beside the one that was backed up.');
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'keep-waiting': { type: 'boolean' },
        'interrupt-waiting': { type: 'boolean' },
        'replace-characters': { type: 'boolean', default: false },
      },
    });
    const [file] = positionals;
    const { 'keep-waiting': keep, 'interrupt-waiting': interrupt, 'replace-characters': replaceCharacters } = values;
    if (file !== undefined && positionals.length === 1 && !(keep && interrupt))
      return { file, keepWaiting: keep ? true : interrupt ? false : undefined, replaceCharacters };
  } catch {
    // The usage explains it.
  }
  throw new ConfigError(USAGE);
}
