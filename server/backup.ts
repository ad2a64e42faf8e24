// `npm run backup -- FILE`: writes everything that the service stores to one file, while it runs.
import path from 'node:path';
import { makeBackup } from './backup/make-backup.ts';
import { ConfigError, readConfig } from './config.ts';

try {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0 || file.startsWith('-'))
    throw new ConfigError('Usage: npm run backup -- FILE     (a file that does not exist yet, like muster.tar)');
  // When it is stopped, it leaves nothing unfinished behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const { dataDir } = readConfig(process.env);
  const { bytes, artifacts, damaged } = await makeBackup(dataDir, path.resolve(file));
  console.log(`${file}: the database and ${artifacts} artifacts, ${(bytes / 1024 / 1024).toFixed(1)} MB.`);
  if (damaged.length > 0)
    console.error(
      `The files of ${damaged.length} artifacts are missing or damaged, and not in it: ${damaged.join(', ')}. Upload them again.`,
    );
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}
