// `npm test`: all checks, the unit tests but those that start programs, and the end-to-end tests of each page's main tasks,
// which have @main in their names; counted in one last line. `--all` (`npm run test:all`) runs all tests, `--rest` those
// that `npm test` leaves out. Other arguments name what alone is run: unit test files (`*.test.ts`) go to Node's runner,
// everything else to Playwright (`npm test -- e2e/jobs.spec.ts -g delete`).
import { UNIT_TESTS, endToEndTests, startsPrograms, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const MAIN = '@main';
const args = process.argv.slice(2);
const named = args.filter((arg) => arg !== '--all' && arg !== '--rest');
const isWhole = named.length === 0 && !args.includes('--rest');

function unitFiles(): string[] {
  if (named.length > 0) return named.filter((arg) => arg.endsWith('.test.ts'));
  if (args.includes('--all')) return UNIT_TESTS;
  return UNIT_TESTS.filter((file) => startsPrograms(file) !== isWhole);
}

function playwrightArgs(): string[] | undefined {
  const others = named.filter((arg) => !arg.endsWith('.test.ts'));
  if (named.length > 0) return others.length > 0 ? others : undefined;
  if (args.includes('--all')) return [];
  return args.includes('--rest') ? ['--grep-invert', MAIN] : ['--grep', MAIN];
}

const browserArgs = playwrightArgs();
const files = unitFiles();
const { passed, failed } = sum([
  ...(isWhole ? [await staticChecks()] : []),
  ...(files.length > 0 ? [await unitTests(files)] : []),
  ...(browserArgs ? [await endToEndTests(browserArgs)] : []),
]);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
