// Searches a log away from the page. It says so before each slice: if that is the last word, a pattern takes too long, and
// the page ends this worker.
import { indexLines } from './lines.ts';
import type { LineIndex } from './lines.ts';
import { patternOf, searchIndex } from './log-query.ts';
import type { LogQuery, Matches } from './log-query.ts';

/** More of a stream: its first `keep` pieces stay. */
export interface SearchText {
  stream: string;
  keep: number;
  pieces: readonly string[];
}
export interface SearchRequest {
  id: number;
  query: LogQuery;
  raw: boolean;
  streams: readonly string[];
}
export type SearchAnswer = { id: number } & ({ at: 'work' } | { found: Matches[] });

const texts = new Map<string, string[]>();
const indexes = new Map<string, LineIndex>();
let latest = 0;

const say = (answer: SearchAnswer) => self.postMessage(answer);
/** Lets a newer message in. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

async function search({ id, query, raw, streams }: SearchRequest): Promise<void> {
  latest = id;
  const pattern = patternOf(query);
  const found: Matches[] = [];
  for (const stream of streams) {
    const index = indexLines(texts.get(stream) ?? [], indexes.get(stream), raw);
    indexes.set(stream, index);
    if (!pattern) continue;
    const steps = searchIndex(index, pattern);
    for (;;) {
      say({ id, at: 'work' });
      const step = steps.next();
      if (step.done) {
        found.push(step.value);
        break;
      }
      await turn();
      if (latest !== id) return;
    }
  }
  say({ id, found });
}

self.addEventListener('message', ({ data }: MessageEvent<SearchText | SearchRequest>) => {
  if ('query' in data) {
    void search(data);
    return;
  }
  texts.set(data.stream, [...(texts.get(data.stream) ?? []).slice(0, data.keep), ...data.pieces]);
});
