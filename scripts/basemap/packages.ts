// Reads data files out of the builder's own npm packages, past their "exports" maps where those hide the data.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = new URL('./node_modules/', import.meta.url);

/** The path of a file or folder inside an installed package; says how to install when it is missing. */
export function packagePath(path: string): string {
  const full = fileURLToPath(new URL(path, modules));
  if (existsSync(full)) return full;
  throw new Error(`The map data ${path} is not installed. Run "npm ci" in scripts/basemap, then build again.`);
}

/** A JSON file of an installed package. The caller says what it holds: these files are pinned by the lockfile. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(packagePath(path), 'utf8')) as T;
}
