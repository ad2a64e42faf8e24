// `npm run backup -- FILE`: writes everything that the service stores to one file, while it runs.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeBackup } from './backup/make-backup.ts';
import { readPlaces } from './backup/places.ts';
import { ConfigError } from './config-error.ts';
import { readStoreAddress } from './s3-config.ts';

const USAGE = `Usage: npm run backup -- FILE [--without-artifacts]
  FILE                  a file that does not exist yet, like muster.tar
  --without-artifacts   leaves artifacts in the S3 store that they are in, and only lists them

DATA_DIR, DATABASE_URL, ARTIFACT_STORE_URL and AWS_… are those of the service, which may run at the same time.`;

try {
  const { file, withoutArtifacts } = readArguments();
  // When it is stopped, it leaves nothing unfinished behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const { DATA_DIR, DATABASE_URL, ARTIFACT_STORE_URL } = process.env;
  const artifactsIn = withoutArtifacts ? readStoreAddress(ARTIFACT_STORE_URL)?.address : undefined;
  if (withoutArtifacts && artifactsIn === undefined)
    throw new ConfigError('--without-artifacts is for artifacts in an S3 store, but ARTIFACT_STORE_URL is not set.');
  // Keys of a store that is not read are not needed.
  const places = readPlaces(withoutArtifacts ? { DATA_DIR, DATABASE_URL } : process.env);
  const { manifest, bytes, rows, artifacts, damaged } = await makeBackup(places, path.resolve(file), {
    artifactsIn,
    report: (line) => console.log(line),
  });
  console.log(
    `${file}: ${rows} rows and ${artifacts} artifacts, ${(bytes / 1024 / 1024).toFixed(1)} MB, of a service that ${manifest.Running ? 'runs' : 'is stopped'}.`,
  );
  if (artifactsIn !== undefined) console.log(`The artifacts are not in it: they stay in ${artifactsIn}.`);
  if (damaged.length > 0)
    console.error(
      `The files of ${damaged.length} artifacts are missing or damaged, and not in it: ${damaged.join(', ')}. Upload them again, or, if they are in an S3 store, set ARTIFACT_STORE_URL as the service has it.`,
    );
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

function readArguments(): { file: string; withoutArtifacts: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'without-artifacts': { type: 'boolean', default: false } },
    });
    const [file] = positionals;
    if (file !== undefined && positionals.length === 1) return { file, withoutArtifacts: values['without-artifacts'] };
  } catch {
    // The usage explains it.
  }
  throw new ConfigError(USAGE);
}
