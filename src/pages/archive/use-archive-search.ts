// A search through the archive as the page shows it: hits arrive one by one, and another text starts a new search.
import { useEffect, useState } from 'react';
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import type { ArchiveHit } from '#/features/job-archive/archive-search.ts';
import type { SearchProgress, ArchiveSearchRequest } from '#/features/job-archive/search-worker.ts';

export interface ArchiveSearch {
  hits: ReadonlyMap<string, ArchiveHit>;
  done: number;
  /** Undefined until the worker has looked what there is. */
  total: number | undefined;
  error: string | undefined;
}

/** How often the finds are drawn, in milliseconds. */
const TICK = 100;
const NOTHING: ArchiveSearch = { hits: new Map(), done: 0, total: undefined, error: undefined };

/** `text` empty: there is no search. `version`: another one when the archive has changed. */
export function useArchiveSearch(account: string, text: string, version: number): ArchiveSearch | undefined {
  const key = `${version} ${account} ${text}`;
  const [found, setFound] = useState<{ key: string; search: ArchiveSearch }>();
  useEffect(() => {
    if (text === '') return;
    const worker = new WorkerClient<ArchiveSearchRequest, void, SearchProgress>(
      () => new Worker(new URL('../../features/job-archive/search-worker.ts', import.meta.url), { type: 'module' }),
    );
    const hits = new Map<string, ArchiveHit>();
    let state = NOTHING;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setFound({ key, search: { ...state, hits: new Map(hits) } });
    };
    const onProgress = (progress: SearchProgress) => {
      if ('hit' in progress) hits.set(progress.hit.id, progress.hit);
      else state = { ...state, ...progress };
      timer ??= setTimeout(draw, TICK);
    };
    worker.ask({ account, text }, { onProgress }).catch((error: Error) => {
      if (error instanceof WorkerError && error.kind === 'ended') return;
      const isGone = error instanceof WorkerError;
      state = {
        ...state,
        error: isGone ? 'The search could not be loaded; change the text to try again.' : error.message,
      };
      draw();
    });
    return () => {
      clearTimeout(timer);
      worker.close();
    };
  }, [account, text, key]);
  if (text === '') return undefined;
  return found?.key === key ? found.search : NOTHING;
}
