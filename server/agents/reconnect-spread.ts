/** Agents that a node greets without delay to anything else: about half of what two cores can. */
const PER_SECOND = 2_000;
const LONGEST_MS = 30_000;

/** Over how many milliseconds the agents of a fleet of this size spread their first attempt to connect again. */
export const spreadOf = (devices: number): number => Math.min(LONGEST_MS, Math.ceil((devices / PER_SECOND) * 1000));
