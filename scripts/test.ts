// `npm test`: all checks, unit tests and end-to-end tests, counted in one last line. With arguments only what they name:
// unit test files (`*.test.ts`) go to Node's runner, everything else to Playwright (`npm test -- e2e/jobs.spec.ts -g delete`).
import { endToEndTests, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const args = process.argv.slice(2);
const unitFiles = args.filter((arg) => arg.endsWith('.test.ts'));
const playwrightArgs = args.filter((arg) => !arg.endsWith('.test.ts'));
const all = args.length === 0;

const { passed, failed } = sum([
  ...(all ? [await staticChecks(), await unitTests()] : []),
  ...(unitFiles.length > 0 ? [await unitTests(unitFiles)] : []),
  ...(all || playwrightArgs.length > 0 ? [await endToEndTests(playwrightArgs)] : []),
]);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
