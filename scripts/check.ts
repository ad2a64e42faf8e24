// `npm run check`: everything of `npm test` that needs no browser. All steps run, whatever fails; the exit code tells.
import { UNIT_TESTS, isForRest, staticChecks, unitTests } from './steps.ts';
import { sum } from './tally.ts';

const plain = UNIT_TESTS.filter((file) => !isForRest(file));
const { failed } = sum([await staticChecks(), await unitTests(plain)]);
process.exitCode = failed > 0 ? 1 : 0;
