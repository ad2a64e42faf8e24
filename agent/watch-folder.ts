// Tells when something in a folder changed. The system's notices come at once; where they don't come at all (some
// network and overlay file systems), looking twice a second does.
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';

const LOOK_EVERY_MS = 500;

/** Calls `changed` soon after each change, and now and then without one. Returns what ends it. */
export function watchFolder(folder: string, changed: () => void): () => void {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => {});
  } catch {
    // No notices to be had (for example, too many watches): the timer is left.
  }
  const timer = setInterval(changed, LOOK_EVERY_MS);
  return () => {
    watcher?.close();
    clearInterval(timer);
  };
}
