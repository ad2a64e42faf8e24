// Searches a log in a worker, which receives each piece once and is terminated when a pattern takes too long. So no pattern
// can freeze the page.
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import type { LogStream } from './log-items.ts';
import type { LogQuery, Matches } from './log-query.ts';
import type { SearchRequest, SearchText } from './search-worker.ts';

/** Milliseconds for one slice; a normal pattern takes a hundredth of that. */
const LIMIT = 3_000;
/** Milliseconds for a worker to leave an earlier search, unless its pattern is stuck. */
const SWITCH_LIMIT = 1_000;

type SearchClient = WorkerClient<SearchText | SearchRequest, Matches[], 'searching'>;

const startWorker = (): SearchClient =>
  new WorkerClient(() => new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' }), LIMIT);

/** `slow`: the pattern took too long. `unavailable`: the worker did not start. `replaced`: a newer search was started. */
export type SearchOutcome = Matches[] | 'slow' | 'unavailable' | 'replaced';

export class LogSearcher {
  private readonly worker: SearchClient;
  private sent = new Map<string, readonly string[]>();
  private current = new AbortController();
  /** The worker has not answered the last request. */
  private isBusy = false;

  constructor(worker = startWorker()) {
    this.worker = worker;
  }

  /** Searches the streams; a search in progress is abandoned. */
  async find(streams: readonly LogStream[], query: LogQuery, raw: boolean): Promise<SearchOutcome> {
    this.current.abort();
    const { signal } = (this.current = new AbortController());
    for (;;) {
      for (const stream of streams) this.send(stream);
      let isStuck = false;
      const giveUp = () => {
        isStuck = true;
        this.endWorker();
      };
      const timer = this.isBusy ? setTimeout(giveUp, SWITCH_LIMIT) : undefined;
      const onProgress = () => clearTimeout(timer);
      this.isBusy = true;
      try {
        const asked = { query, raw, streams: streams.map(({ name }) => name) };
        const found = await this.worker.ask(asked, { signal, onProgress });
        this.isBusy = false;
        return found;
      } catch (error) {
        if (signal.aborted) return 'replaced';
        this.endWorker();
        if (!isStuck) return error instanceof WorkerError && error.kind === 'slow' ? 'slow' : 'unavailable';
      } finally {
        clearTimeout(timer);
      }
    }
  }

  private send({ name, pieces }: LogStream): void {
    const sent = this.sent.get(name) ?? [];
    const other = pieces.findIndex((piece, index) => piece !== sent[index]);
    const keep = other === -1 ? pieces.length : other;
    if (keep === pieces.length && keep === sent.length) return;
    // One piece a message, because posting copies it and would block the page.
    this.worker.post({ stream: name, keep, pieces: [] });
    for (let at = keep; at < pieces.length; at++)
      this.worker.post({ stream: name, keep: at, pieces: pieces.slice(at, at + 1) });
    this.sent.set(name, pieces);
  }

  /** Terminates the worker; the next search starts a new one. */
  close(): void {
    this.current.abort();
    this.endWorker();
  }

  /** A new worker has to receive the log again. */
  private endWorker(): void {
    this.worker.close();
    this.sent = new Map();
    this.isBusy = false;
  }
}
