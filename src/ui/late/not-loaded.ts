// Late-loaded parts of the application that failed to load. Browsers from before July 2026 (whatwg/html #10327) cache the
// failure for the life of the document, so only a reload requests the file again.
import { createListeners } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

const FAILED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

/** Whether an error is a failed load, by the messages of browsers and Vite. */
export const isNotLoaded = (error: unknown): boolean => error instanceof Error && FAILED.test(error.message);

/** Imports a part, and serves as its identity. */
export type LoadPart = () => Promise<unknown>;

const missing = new Set<LoadPart>();
const { notify, subscribe } = createListeners();

/** Marks a part that is needed and failed to load; the page says so until it is loaded or no longer needed. */
export const setMissing = (part: LoadPart, isMissing: boolean): void => {
  if (missing.has(part) === isMissing) return;
  if (isMissing) missing.add(part);
  else missing.delete(part);
  notify();
};

export const useIsPartMissing = (): boolean => useStore({ get: () => missing.size > 0, subscribe });
