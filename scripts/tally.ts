// What the checks and tests count, and how the reports of the two test runners become that count.

/** How many tests or checks went well and how many did not; there is nothing between the two. */
export interface Tally {
  passed: number;
  failed: number;
}

/** The totals of a node:test run: `counts` of its last test:summary event. */
export interface NodeCounts {
  tests: number;
  passed: number;
}

/** What is read of the file that Playwright's JSON reporter writes. */
export interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  /** What went wrong outside of any test, such as a spec that can't be loaded. */
  errors: unknown[];
}

/** Adds counts up. */
export function sum(tallies: Tally[]): Tally {
  return tallies.reduce(
    (total, { passed, failed }) => ({ passed: total.passed + passed, failed: total.failed + failed }),
    { passed: 0, failed: 0 },
  );
}

/**
 * A test that failed, was skipped, cancelled or is to be written showed nothing, so it is not among those that passed.
 */
export function tallyOfNode({ tests, passed }: NodeCounts): Tally {
  return { passed, failed: tests - passed };
}

/** The same for Playwright: neither a test that needed luck nor one that never ran has passed. */
export function tallyOfPlaywright({ stats, errors }: PlaywrightReport): Tally {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + stats.skipped + errors.length };
}
