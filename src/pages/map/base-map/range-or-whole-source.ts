// Where the map's bytes come from. A tile is a small piece of one file: asked for by HTTP Range where the server has
// it, and where it has not (a plain static host) the file is fetched whole, once, and cut here.
import { FetchSource, type RangeResponse, type Source } from 'pmtiles';

/** Waits between tries: a service that restarts is back within seconds. */
const retryAfter = [500, 2000, 5000];

interface SourceOptions {
  fetch?: typeof fetch;
  /** Asks for a range once the server is known to have them. */
  ranges?: Pick<Source, 'getBytes'>;
  wait?: (milliseconds: number) => Promise<void>;
}

/** A PMTiles source that needs nothing of the server but the file. */
export class RangeOrWholeSource implements Source {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #ranges: Pick<Source, 'getBytes'>;
  readonly #wait: (milliseconds: number) => Promise<void>;
  /** Undefined until the first answer; then the whole file, or 'ranges'. */
  #kind: Promise<ArrayBuffer | 'ranges'> | undefined;
  #failures = 0;

  constructor(url: string, options: SourceOptions = {}) {
    this.#url = url;
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#ranges = options.ranges ?? new FetchSource(url);
    this.#wait = options.wait ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  }

  /** PMTiles remembers a failed header for good under this key: a new key after a failure lets it ask again. */
  getKey(): string {
    return this.#failures === 0 ? this.#url : `${this.#url}#${this.#failures}`;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#read(offset, length, signal, etag);
      } catch (error) {
        const pause = retryAfter[attempt];
        // Only a failed connection (a TypeError from fetch) or a failing server is worth another try.
        if (signal?.aborted || !isTemporary(error)) throw error;
        if (pause === undefined) {
          this.#failures++;
          throw error;
        }
        await this.#wait(pause);
        signal?.throwIfAborted();
      }
    }
  }

  async #read(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    this.#kind ??= this.#probe();
    let kind: ArrayBuffer | 'ranges';
    try {
      kind = await this.#kind;
    } catch (error) {
      this.#kind = undefined;
      throw error;
    }
    if (kind === 'ranges') return this.#ranges.getBytes(offset, length, signal, etag);
    return { data: kind.slice(offset, offset + length) };
  }

  /** Asks for one byte: the answer's status says whether the server has ranges, and if not it is the file itself. */
  async #probe(): Promise<ArrayBuffer | 'ranges'> {
    const response = await this.#fetch(this.#url, { headers: { Range: 'bytes=0-0' } });
    if (response.status === 206) {
      await response.body?.cancel();
      return 'ranges';
    }
    if (response.status !== 200) throw new MapFileError(this.#url, response.status);
    return response.arrayBuffer();
  }
}

/** The map file could not be had. */
export class MapFileError extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(`The base map ${url} could not be loaded: the server answered ${status}. Check that the file is deployed with the dashboard.`);
    this.name = 'MapFileError';
    this.status = status;
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof MapFileError && error.status >= 500);
}
