// Reads marks away from the page. Before each pattern it says so: if that is the last word, the page ends it and knows why.
import { readMarks } from './read-marks.ts';
import type { MarkedStream } from './read-marks.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';

export interface MarksRequest {
  outputs: MarkedStream[][];
  rules: readonly Rule[];
  slow: readonly Rule[];
}
export type MarksAnswer = { trying: Rule } | { readings: Reading[] };

const say = (answer: MarksAnswer) => self.postMessage(answer);

self.addEventListener('message', ({ data: { outputs, rules, slow } }: MessageEvent<MarksRequest>) => {
  const before = (trying: Rule) => say({ trying });
  say({ readings: outputs.map((streams) => readMarks(streams, rules, { slow, before })) });
});
