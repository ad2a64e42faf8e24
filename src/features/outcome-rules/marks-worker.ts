// Reads marks away from the page. It announces each pattern first: if nothing follows, the page ends it and knows why.
import { serve } from '#/lib/worker-client.ts';
import { readMarks, type MarkedStream } from './read-marks.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';

export interface MarksRequest {
  outputs: MarkedStream[][];
  rules: readonly Rule[];
  slow: readonly Rule[];
}

serve<MarksRequest, Reading[], Rule>(({ outputs, rules, slow }, { report }) =>
  outputs.map((streams) => readMarks(streams, rules, { slow, before: report })),
);
