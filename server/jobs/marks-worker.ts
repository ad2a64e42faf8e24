// Reads marks in a worker thread. It announces each pattern before trying it: if nothing follows, the reader terminates
// the thread.
import { parentPort } from 'node:worker_threads';
import { readMarks, type JudgingRule, type MarkedStream, type ReadHow, type Reading } from './read-marks.ts';

export interface MarksRequest extends Pick<ReadHow, 'skip' | 'all' | 'budgetMs'> {
  streams: MarkedStream[];
  rules: readonly JudgingRule[];
}
/** The pattern about to be tried, then what was found or why the output could not be read. */
export type MarksAnswer = { trying: number } | { reading: Reading } | { failed: string };

const answer = (message: MarksAnswer) => parentPort?.postMessage(message);
const spent = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

parentPort?.on('message', ({ streams, rules, ...how }: MarksRequest) => {
  try {
    answer({ reading: readMarks(streams, rules, { ...how, spent, before: (trying) => answer({ trying }) }) });
  } catch (cause) {
    answer({ failed: cause instanceof Error ? cause.message : String(cause) });
  }
});
