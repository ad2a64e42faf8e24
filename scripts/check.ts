// `npm run check`: everything that needs no browser. All steps run, whatever fails; the exit code tells.
import { UNIT_TESTS, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const { failed } = sum([await staticChecks(), await unitTests(UNIT_TESTS)]);
process.exitCode = failed > 0 ? 1 : 0;
