// Whether an error says that a part of the application did not come.

const FAILED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i;

/** In the words of the browsers and of Vite. */
export const isNotLoaded = (error: unknown): error is Error => error instanceof Error && FAILED.test(error.message);
