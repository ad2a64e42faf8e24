// `npm test`: all checks and unit tests, and the end-to-end tests of each page's main tasks, which have @main in their
// names; counted in one last line. `--all` (`npm run test:all`) runs all end-to-end tests, `--rest` those that `npm test`
// leaves out. Other arguments name what alone is run: unit test files (`*.test.ts`) go to Node's runner, everything else to
// Playwright (`npm test -- e2e/jobs.spec.ts -g delete`).
import { endToEndTests, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const MAIN = '@main';
const args = process.argv.slice(2);
const named = args.filter((arg) => arg !== '--all' && arg !== '--rest');
const unitFiles = named.filter((arg) => arg.endsWith('.test.ts'));
const isWhole = named.length === 0 && !args.includes('--rest');

function playwrightArgs(): string[] | undefined {
  const others = named.filter((arg) => !unitFiles.includes(arg));
  if (named.length > 0) return others.length > 0 ? others : undefined;
  if (args.includes('--all')) return [];
  return args.includes('--rest') ? ['--grep-invert', MAIN] : ['--grep', MAIN];
}

const browserArgs = playwrightArgs();
const { passed, failed } = sum([
  ...(isWhole ? [await staticChecks(), await unitTests()] : []),
  ...(unitFiles.length > 0 ? [await unitTests(unitFiles)] : []),
  ...(browserArgs ? [await endToEndTests(browserArgs)] : []),
]);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
