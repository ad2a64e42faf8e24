// `npm test`: all checks and unit tests, and the end-to-end tests of each page's main tasks, which have @main in their
// names; counted in one last line. `--all` (`npm run test:all`) runs all end-to-end tests, `--rest` those that `npm test`
// leaves out. Other arguments name what alone is run: unit test files (`*.test.ts`) go to Node's runner, everything else to
// Playwright (`npm test -- e2e/jobs.spec.ts -g delete`).
import { endToEndTests, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const MAIN = '@main';
const args = process.argv.slice(2);
const [only] = args;
const isWhole = args.length === 0 || only === '--all';
const unitFiles = args.filter((arg) => arg.endsWith('.test.ts'));

function playwrightArgs(): string[] | undefined {
  if (args.length === 0) return ['--grep', MAIN];
  if (only === '--all') return [];
  if (only === '--rest') return ['--grep-invert', MAIN];
  const named = args.filter((arg) => !unitFiles.includes(arg));
  return named.length > 0 ? named : undefined;
}

const browserArgs = playwrightArgs();
const { passed, failed } = sum([
  ...(isWhole ? [await staticChecks(), await unitTests()] : []),
  ...(unitFiles.length > 0 ? [await unitTests(unitFiles)] : []),
  ...(browserArgs ? [await endToEndTests(browserArgs)] : []),
]);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
