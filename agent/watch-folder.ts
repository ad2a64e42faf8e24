// Reports changes in a folder: by system events, and by polling twice a second for network and overlay file systems
// that have none.
import { watch, type FSWatcher } from 'node:fs';

const POLL_EVERY_MS = 500;

/** Calls `changed` soon after each change, and periodically without one. Returns a function that stops it. */
export function watchFolder(folder: string, changed: () => void): () => void {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => {});
  } catch {
    // No events are available (for example, too many watches): the timer remains.
  }
  const timer = setInterval(changed, POLL_EVERY_MS);
  return () => {
    watcher?.close();
    clearInterval(timer);
  };
}
