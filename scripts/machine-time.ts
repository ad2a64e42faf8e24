// How long the processors of this machine have worked, for all programs together: what a run cost, however many processes it
// started. Linux has the same in /proc/stat.
import { cpus } from 'node:os';

const workedSeconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys } }) => sum + user + nice + sys, 0) / 1000;

/** Starts to count; the function that it returns says in a line what has passed since. */
export function countTime(): () => string {
  const begun = performance.now();
  const worked = workedSeconds();
  return () =>
    `In ${Math.round((performance.now() - begun) / 1000)} s; ` +
    `the processors of this machine worked ${Math.round(workedSeconds() - worked)} s.`;
}
