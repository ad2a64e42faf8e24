// Searches a log in a worker, which gets each piece of it once, and ends the worker when a pattern takes too long: no
// pattern that a person can write freezes the page.
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import type { LogStream } from './log-items.ts';
import type { LogQuery, Matches } from './log-query.ts';
import type { SearchRequest, SearchText } from './search-worker.ts';

/** Milliseconds for one slice; an honest pattern takes a hundredth of it. */
const LIMIT = 3_000;
/** Milliseconds in which a worker turns from an earlier search to the next one, unless a pattern holds it. */
const TURN_LIMIT = 1_000;

type SearchClient = WorkerClient<SearchText | SearchRequest, Matches[], 'at work'>;

const startWorker = (): SearchClient =>
  new WorkerClient(() => new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' }), LIMIT);

/** `slow`: the pattern took too long. `unavailable`: the browser started no worker. `replaced`: another was asked for. */
export type SearchOutcome = Matches[] | 'slow' | 'unavailable' | 'replaced';

export class LogSearcher {
  private readonly worker: SearchClient;
  private sent = new Map<string, readonly string[]>();
  private current = new AbortController();
  /** The worker has not answered the last search. */
  private isBusy = false;

  constructor(worker = startWorker()) {
    this.worker = worker;
  }

  /** Searches these streams; what is still being searched is left for it. */
  async find(streams: readonly LogStream[], query: LogQuery, raw: boolean): Promise<SearchOutcome> {
    this.current.abort();
    const { signal } = (this.current = new AbortController());
    for (;;) {
      for (const stream of streams) this.send(stream);
      let isHeld = false;
      const hold = () => {
        isHeld = true;
        this.endWorker();
      };
      const turn = this.isBusy ? setTimeout(hold, TURN_LIMIT) : undefined;
      const onProgress = () => clearTimeout(turn);
      this.isBusy = true;
      try {
        const asked = { query, raw, streams: streams.map(({ name }) => name) };
        const found = await this.worker.ask(asked, { signal, onProgress });
        this.isBusy = false;
        return found;
      } catch (error) {
        if (signal.aborted) return 'replaced';
        this.endWorker();
        if (!isHeld) return error instanceof WorkerError && error.kind === 'slow' ? 'slow' : 'unavailable';
      } finally {
        clearTimeout(turn);
      }
    }
  }

  private send({ name, pieces }: LogStream): void {
    const sent = this.sent.get(name) ?? [];
    const other = pieces.findIndex((piece, index) => piece !== sent[index]);
    const keep = other === -1 ? pieces.length : other;
    if (keep === pieces.length && keep === sent.length) return;
    // One at a time: each is copied in a task of the page.
    this.worker.post({ stream: name, keep, pieces: [] });
    for (let at = keep; at < pieces.length; at++)
      this.worker.post({ stream: name, keep: at, pieces: pieces.slice(at, at + 1) });
    this.sent.set(name, pieces);
  }

  /** Ends the worker; the next search starts another. */
  close(): void {
    this.current.abort();
    this.endWorker();
  }

  /** Another worker knows nothing of the log. */
  private endWorker(): void {
    this.worker.close();
    this.sent = new Map();
    this.isBusy = false;
  }
}
