// Reads marks on a thread of its own. It announces each pattern first: if nothing follows, the reader ends it.
import { parentPort } from 'node:worker_threads';
import type { Rule } from '#/contract/rules.ts';
import { readMarks, type MarkedStream, type Reading } from './read-marks.ts';

export interface MarksRequest {
  outputs: MarkedStream[][];
  rules: readonly Rule[];
  /** As in ReadHow. */
  slow: readonly number[];
}
/** The pattern that is tried next, or all readings. */
export type MarksAnswer = { trying: number } | { readings: Reading[] };

const answer = (message: MarksAnswer) => parentPort?.postMessage(message);

parentPort?.on('message', ({ outputs, rules, slow }: MarksRequest) => {
  const before = (trying: number) => answer({ trying });
  answer({ readings: outputs.map((streams) => readMarks(streams, rules, { slow, before })) });
});
