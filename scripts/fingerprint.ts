// Detects whether a build matches its sources. It reads the content of every source file (a few MB, some tens of ms),
// because times and sizes are wrong after a checkout, an unpacked archive or a restored backup.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A hash of the names and contents of the given files and folders below `root`. Missing ones count as empty. */
export function fingerprint(root: string, sources: string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesBelow(root, source)) {
      const content = readFileSync(join(root, file));
      // The length goes first, so that bytes moved from one file to the next change the hash.
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
