// Which reads the pages have sent of late, so that a page can show them as commands. Addresses only: no answers.

const MOST = 100;

/** By address, the latest last; and the page that was there. */
const reads = new Map<string, string>();

/** The page, as its address has it; '' in a worker or a test. */
export const pageNow = (): string => {
  const { location: at } = globalThis as { location?: Location };
  return at ? at.pathname + at.search : '';
};

export function noteRead(path: string): void {
  if (!path.startsWith('/v1/')) return;
  reads.delete(path);
  reads.set(path, pageNow());
  if (reads.size > MOST) reads.delete(reads.keys().next().value ?? '');
}

/** What a page has read, in the order it was last read. */
export const readsOf = (page: string): string[] =>
  Array.from(reads)
    .filter(([, at]) => at === page)
    .map(([path]) => path);
