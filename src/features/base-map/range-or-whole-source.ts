// The source of the map's bytes. A tile is a small piece of one file, requested by HTTP Range. From a server without
// ranges (a plain static host) the whole file is fetched once.
import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';

/** Waits between tries: a service that restarts is back within seconds. */
const retryAfter = [500, 2000, 5000];

interface SourceOptions {
  fetch?: typeof fetch;
  /** Reads ranges once the server is known to support them. */
  ranges?: Pick<Source, 'getBytes'>;
  wait?: (milliseconds: number) => Promise<void>;
}

export class RangeOrWholeSource implements Source {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #ranges: Pick<Source, 'getBytes'>;
  readonly #wait: (milliseconds: number) => Promise<void>;
  /** The first response: the whole file, or a range. Undefined before the first request, and after a failure. */
  #served: Promise<ArrayBuffer | 'ranges'> | undefined;
  #failures = 0;

  constructor(url: string, options: SourceOptions = {}) {
    this.#url = url;
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#ranges = options.ranges ?? new FetchSource(url);
    this.#wait = options.wait ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  }

  /** PMTiles caches a failure under this key forever, so the key changes after a failure. */
  getKey(): string {
    return this.#failures === 0 ? this.#url : `${this.#url}#${this.#failures}`;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#read(offset, length, signal, etag);
      } catch (error) {
        if (signal?.aborted || error instanceof EtagMismatch) throw error;
        const pause = retryAfter[attempt];
        if (pause === undefined || (error instanceof MapFileError && error.status < 500)) {
          this.#failures++;
          throw error;
        }
        await this.#wait(pause);
        signal?.throwIfAborted();
      }
    }
  }

  async #read(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    if (!this.#served) {
      // Not bound to the caller's signal: the next request needs this answer too.
      const first = this.#ask(offset, length);
      this.#served = first.then((answer) => answer.whole ?? 'ranges');
      this.#served.catch(() => (this.#served = undefined));
      return (await first).bytes;
    }
    const served = await this.#served;
    if (served === 'ranges') return this.#ranges.getBytes(offset, length, signal, etag);
    return { data: served.slice(offset, offset + length) };
  }

  async #ask(offset: number, length: number): Promise<{ bytes: RangeResponse; whole?: ArrayBuffer }> {
    const response = await this.#fetch(this.#url, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
    if (response.status !== 206 && response.status !== 200) throw new MapFileError(this.#url, response.status);
    const data = await response.arrayBuffer();
    if (response.status === 200) return { bytes: { data: data.slice(offset, offset + length) }, whole: data };
    const etag = response.headers.get('ETag');
    return { bytes: etag && !etag.startsWith('W/') ? { data, etag } : { data } };
  }
}

class MapFileError extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(
      `The base map ${url} could not be loaded: the server answered ${status}. Check that the file is deployed with the dashboard.`,
    );
    this.name = 'MapFileError';
    this.status = status;
  }
}
