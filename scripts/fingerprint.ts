// Tells whether what was built still matches its sources. It reads the content of every source file (a few MB, some
// tens of ms): times and sizes alone lie after a checkout, an unpacked archive or a restored backup.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A hash over the names and contents of the given files and folders below `root`. Those that don't exist count as empty. */
export function fingerprint(root: string, sources: string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesBelow(root, source)) {
      const content = readFileSync(join(root, file));
      // The length goes first, so that bytes moved from one file to the next can't give the same sum.
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

function filesBelow(root: string, source: string): string[] {
  const path = join(root, source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [source];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
