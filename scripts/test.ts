// `npm test`: all checks, the unit tests but those that start services or programs, and the end-to-end tests of the main tasks,
// which have @main in their names; counted in one last line. `--rest` runs what that leaves out, but not the tests with
// @sweep in their names: those go through every page, dialog or language for the sake of one rule, or repeat tasks in front
// of another service. `--sweeps` runs them alone, and `--all` (`npm run test:all`) runs everything. Other arguments name
// what alone is run: unit test files (`*.test.ts`) and component tests (`*.test.tsx`) go to Node's runner, everything else to
// Playwright
// (`npm test -- e2e/jobs.spec.ts -g delete`).
import { countTime } from './machine-time.ts';
import {
  COMPONENT_TESTS,
  UNIT_TESTS,
  componentTests,
  endToEndTests,
  isForRest,
  staticChecks,
  unitTests,
} from './steps.ts';
import { sum } from './tally.ts';

const time = countTime();
const MAIN = '@main';
const SWEEP = '@sweep';
const PARTS = ['--all', '--rest', '--sweeps'];
const args = process.argv.slice(2);
const named = args.filter((arg) => !PARTS.includes(arg));
const sweeps = args.includes('--sweeps');
const isWhole = named.length === 0 && !args.includes('--rest') && !sweeps;

function unitFiles(): string[] {
  if (named.length > 0) return named.filter((arg) => arg.endsWith('.test.ts'));
  if (args.includes('--all')) return UNIT_TESTS;
  if (sweeps) return [];
  return UNIT_TESTS.filter((file) => isForRest(file) !== isWhole);
}

function componentFiles(): string[] {
  if (named.length > 0) return named.filter((arg) => arg.endsWith('.test.tsx'));
  return isWhole || args.includes('--all') ? COMPONENT_TESTS : [];
}

function playwrightArgs(): string[] | undefined {
  const others = named.filter((arg) => !/\.test\.tsx?$/.test(arg));
  if (named.length > 0) return others.length > 0 ? others : undefined;
  if (args.includes('--all')) return [];
  if (sweeps) return ['--grep', SWEEP];
  return args.includes('--rest') ? ['--grep-invert', `${MAIN}|${SWEEP}`] : ['--grep', MAIN];
}

const browserArgs = playwrightArgs();
const files = unitFiles();
const components = componentFiles();
const { passed, failed } = sum([
  ...(isWhole ? [await staticChecks()] : []),
  ...(files.length > 0 ? [await unitTests(files)] : []),
  ...(components.length > 0 ? [await componentTests(components)] : []),
  ...(browserArgs ? [await endToEndTests(browserArgs)] : []),
]);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
process.stdout.write(`\n${time()}\n${passed} passed, ${failed} failed\n`);
