// What an outcome rule is: a mark in the log of what an artifact runs, and what it means where it is found. Vendors'
// own update scripts end with exit code 0 after a rollback; then only the log shows it.

/** What a mark can mean, the worst first: of several marks in one log the worst decides. */
export const RULED = ['Rolled back', 'Failed', 'Succeeded'] as const;
export type Ruled = (typeof RULED)[number];

export const RULE_STREAMS = ['both', 'stdout', 'stderr'] as const;
export type RuleStream = (typeof RULE_STREAMS)[number];

export interface Rule {
  /** What to find in a line of the log: text as it is, or a regular expression. */
  find: string;
  pattern: boolean;
  /** Whether capital and small letters differ. */
  caseSensitive: boolean;
  stream: RuleStream;
  verdict: Ruled;
}

/** A line of a job's output, counted from 1. */
export interface LogPosition {
  /** As the log view calls it: "stdout", "stderr", or "output" where a service does not keep them apart. */
  stream: string;
  line: number;
}

/** A mark that was found, in the first line that has it. */
export interface Found {
  rule: Rule;
  /** Undefined where the beginning of the output is missing, so that no line can be counted. */
  position: LogPosition | undefined;
  /** The line, shortened around the mark. */
  text: string;
}

/** What the rules found in the output of one job. */
export interface Reading {
  /** The worst mark. */
  found: Found | undefined;
  /** A rule that could not be tried, and why: its absence must not pass for a success. */
  untried: { rule: Rule; why: string } | undefined;
}

/** “…” as a person reads it, never longer than a line. */
export const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;

const FIELDS = ['find', 'pattern', 'caseSensitive', 'stream', 'verdict'] as const;
export const sameRule = (one: Rule, two: Rule): boolean => FIELDS.every((field) => one[field] === two[field]);
