// Searches a log away from the page. It reports before each slice: if nothing follows, a pattern takes too long, and
// the page ends this worker.
import { serve } from '#/lib/worker-client.ts';
import { indexLines, type LineIndex } from './lines.ts';
import { patternOf, searchIndex, type LogQuery, type Matches } from './log-query.ts';

/** More of a stream: its first `keep` pieces stay. */
export interface SearchText {
  stream: string;
  keep: number;
  pieces: readonly string[];
}
export interface SearchRequest {
  query: LogQuery;
  raw: boolean;
  streams: readonly string[];
}
const texts = new Map<string, string[]>();
const indexes = new Map<string, LineIndex>();

/** Lets a newer message in. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

serve<SearchText | SearchRequest, Matches[], 'at work'>(async (request, { report, isLatest }) => {
  if (!('query' in request)) {
    texts.set(request.stream, [...(texts.get(request.stream) ?? []).slice(0, request.keep), ...request.pieces]);
    return [];
  }
  const pattern = patternOf(request.query);
  const found: Matches[] = [];
  for (const stream of request.streams) {
    const index = indexLines(texts.get(stream) ?? [], indexes.get(stream), request.raw);
    indexes.set(stream, index);
    if (!pattern) continue;
    const steps = searchIndex(index, pattern);
    for (;;) {
      report('at work');
      const step = steps.next();
      if (step.done) {
        found.push(step.value);
        break;
      }
      await turn();
      if (!isLatest()) return [];
    }
  }
  return found;
});
