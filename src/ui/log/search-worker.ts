// Searches a log in a worker. It reports before each slice; if nothing follows, the pattern is too slow, and the page
// terminates the worker.
import { serve } from '#/lib/worker-client.ts';
import { indexLines, type LineIndex } from './lines.ts';
import { patternOf, searchIndex, type LogQuery, type Matches } from './log-query.ts';

/** New pieces of a stream, after its first `keep` ones. */
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

/** Lets a newer message arrive. */
const nextMessage = () => new Promise((resolve) => setTimeout(resolve));

serve<SearchText | SearchRequest, Matches[], 'searching'>(async (request, { report, isLatest }) => {
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
      report('searching');
      const step = steps.next();
      if (step.done) {
        found.push(step.value);
        break;
      }
      await nextMessage();
      if (!isLatest()) return [];
    }
  }
  return found;
});
