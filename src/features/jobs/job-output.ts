// The output of a job as streams for the log view, and the service's own note beside it.
import type { Job } from '#/contract/jobs.ts';
import type { LogStream } from '#/ui/log/log-items.ts';

interface OutputStream {
  /** "stdout" */
  name: string;
  error?: boolean;
  text: string;
}

export interface JobOutput {
  streams: OutputStream[];
  /** A line from the service itself, such as why a job never started. */
  reason: string;
}

const LONGEST_LINE = 300;

/** On a service that does not separate stdout and stderr, Result is the only output (v1.md, "Job"). */
export function outputOf({ Stdout, Stderr, Result }: Pick<Job, 'Stdout' | 'Stderr' | 'Result'>): JobOutput {
  if (Stdout === undefined && Stderr === undefined) return { streams: [{ name: 'output', text: Result }], reason: '' };
  const streams = [
    { name: 'stdout', text: Stdout ?? '' },
    { name: 'stderr', text: Stderr ?? '', error: true },
  ];
  // Our service repeats the output in Result, followed by the reason if the command did not end by itself.
  const printed = streams.map(({ text }) => text).join('');
  const line = (Result.startsWith(printed) ? Result.slice(printed.length) : Result).trim();
  const own = line.length <= LONGEST_LINE && !line.includes('\n') && !streams.some(({ text }) => text.includes(line));
  return { streams, reason: own ? line : '' };
}

/** The streams of an output that was read in full, for the log view. */
export const logStreams = ({ streams }: JobOutput): LogStream[] =>
  streams.map(({ text, ...stream }) => ({ ...stream, pieces: text === '' ? [] : [text] }));

/** A name for the saved log, safe on every file system. */
export const logFileName = (...parts: string[]): string =>
  `${parts
    .filter(Boolean)
    .join('-')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 120)}.log`;
