// Has a log searched by a worker, which gets each piece of it once, and ends the worker when a pattern takes too long: no
// pattern that a person can write makes the page stand still.
import type { LogStream } from './log-items.ts';
import type { LogQuery, Matches } from './log-query.ts';
import type { SearchAnswer, SearchRequest, SearchText } from './search-worker.ts';

/** Milliseconds for one slice; an honest pattern takes a hundredth of it. */
const LIMIT = 3_000;

/** What this needs of a Worker. */
export interface SearchWorker {
  onmessage: ((event: MessageEvent<SearchAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: SearchText | SearchRequest): void;
  terminate(): void;
}

const startWorker = (): SearchWorker => new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' });

/** `slow`: the pattern took too long. `unavailable`: the browser started no worker. `replaced`: another was asked for. */
export type SearchOutcome = Matches[] | 'slow' | 'unavailable' | 'replaced';

export class LogSearcher {
  private readonly start: () => SearchWorker;
  private readonly limit: number;
  private worker: SearchWorker | undefined;
  private sent = new Map<string, readonly string[]>();
  private id = 0;
  private settle: (outcome: SearchOutcome) => void = () => undefined;

  constructor(start = startWorker, limit = LIMIT) {
    this.start = start;
    this.limit = limit;
  }

  /** Searches these streams; what is still being searched is left for it. */
  find(streams: readonly LogStream[], query: LogQuery, raw: boolean): Promise<SearchOutcome> {
    this.settle('replaced');
    const worker = (this.worker ??= this.start());
    const id = ++this.id;
    let timer: ReturnType<typeof setTimeout> | undefined;
    return new Promise((resolve) => {
      this.settle = (outcome) => {
        clearTimeout(timer);
        this.settle = () => undefined;
        if (outcome === 'slow' || outcome === 'unavailable') this.close();
        resolve(outcome);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.settle('unavailable');
      };
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        clearTimeout(timer);
        if ('found' in data) this.settle(data.found);
        else timer = setTimeout(() => this.settle('slow'), this.limit);
      };
      for (const stream of streams) this.send(worker, stream);
      worker.postMessage({ id, query, raw, streams: streams.map(({ name }) => name) });
    });
  }

  private send(worker: SearchWorker, { name, pieces }: LogStream): void {
    const sent = this.sent.get(name) ?? [];
    const other = pieces.findIndex((piece, place) => piece !== sent[place]);
    const keep = other === -1 ? pieces.length : other;
    if (keep === pieces.length && keep === sent.length) return;
    // One at a time: each is copied in a task of the page.
    worker.postMessage({ stream: name, keep, pieces: [] });
    for (let at = keep; at < pieces.length; at++)
      worker.postMessage({ stream: name, keep: at, pieces: pieces.slice(at, at + 1) });
    this.sent.set(name, pieces);
  }

  /** Ends the worker; the next search starts another. */
  close(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.sent = new Map();
    this.settle('replaced');
  }
}
