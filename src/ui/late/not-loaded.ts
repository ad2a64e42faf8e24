// Parts of the application that are fetched when they are needed and failed to load. Browsers from before July 2026
// (whatwg/html #10327) remember the failure as long as the document lives: only a reload requests the file again.
import { createListeners } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

const FAILED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

/** Whether an error means that such a part failed to load, by the texts of the browsers and of Vite. */
export const isNotLoaded = (error: unknown): boolean => error instanceof Error && FAILED.test(error.message);

/** How a part is imported; this function is also what names it. */
export type LoadPart = () => Promise<unknown>;

const missing = new Set<LoadPart>();
const { notify, subscribe } = createListeners();

/** A part that is wanted failed to load; the page shows that until it is loaded or not wanted any more. */
export const setMissing = (part: LoadPart, isMissing: boolean): void => {
  if (missing.has(part) === isMissing) return;
  if (isMissing) missing.add(part);
  else missing.delete(part);
  notify();
};

/** Whether a part that is wanted failed to load. */
export const useIsPartMissing = (): boolean => useStore({ get: () => missing.size > 0, subscribe });
