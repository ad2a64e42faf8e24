// The recent read requests of pages, so that a page can show them as commands. Keeps paths, never responses.

const MOST = 100;

/** The page that sent each request, by the request's path; the latest last. */
const reads = new Map<string, string>();

/** The current page's path; '' in a worker or a test. */
export const pageNow = (): string => {
  const { location: at } = globalThis as { location?: Location };
  return at ? at.pathname + at.search : '';
};

export function recordRead(path: string): void {
  if (!path.startsWith('/v1/')) return;
  reads.delete(path);
  reads.set(path, pageNow());
  if (reads.size > MOST) reads.delete(reads.keys().next().value ?? '');
}

/** The requests of a page, the latest last. */
export const readsOf = (page: string): string[] =>
  Array.from(reads)
    .filter(([, at]) => at === page)
    .map(([path]) => path);
