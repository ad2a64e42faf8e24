// `npm run backup -- FILE`: writes everything that the service stores to one file, while it runs.
import path from 'node:path';
import { makeBackup } from './backup/make-backup.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { refuseDatabaseUrl } from './database-url.ts';
import { readStoreAddress } from './s3-config.ts';

try {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0 || file.startsWith('-'))
    throw new ConfigError('Usage: npm run backup -- FILE     (a file that does not exist yet, like muster.tar)');
  refuseDatabaseUrl(process.env['DATABASE_URL'], 'pg_dump');
  // When it is stopped, it leaves nothing unfinished behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  // Keys of an S3 store are not needed.
  const { dataDir } = readConfig({ DATA_DIR: process.env['DATA_DIR'] });
  const store = readStoreAddress(process.env['ARTIFACT_STORE_URL']);
  const { bytes, artifacts, damaged, elsewhere } = await makeBackup(dataDir, path.resolve(file), store?.address);
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  if (store)
    console.log(
      `${file}: the database, ${size}. Its ${elsewhere} artifacts are only listed: their files are in ${store.address}.`,
    );
  else console.log(`${file}: the database and ${artifacts} artifacts, ${size}.`);
  if (damaged.length > 0)
    console.error(
      `The files of ${damaged.length} artifacts are missing or damaged, and not in it: ${damaged.join(', ')}. Upload them again, or, if they are in an S3 store, set ARTIFACT_STORE_URL as the service has it.`,
    );
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}
