// Returns unused pages of the database to the disk, a few at a time, so that requests do not wait.
import type { DatabaseSync } from 'node:sqlite';
import { fileSize } from './database-file.ts';
import type { DiskSpace } from './disk-space.ts';

/** Unused pages kept for later writes. */
const SPARE_PAGES = 2_000;
/** Moving pages is not worthwhile for a smaller share of the file. */
const WORTHWHILE_SHARE = 0.1;
const CHECK_AFTER_MS = 1_000;
const PAUSE_MS = 10;
/** Slices grow and shrink to take about this long. */
const SLICE_MS = 8;
const MAX_PAGES = 512;
const MIN_PAGES = 16;

const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)';

const pragma = (sqlite: DatabaseSync, name: string) => Number(sqlite.prepare(`PRAGMA ${name}`).get()?.[name]);

/**
 * Enables a database of an earlier version to shrink, by rewriting it once. Reports this, because it takes a moment.
 * Without enough space the database stays as it is.
 */
export function makeShrinkable(
  sqlite: DatabaseSync,
  file: string,
  disk: DiskSpace,
  report: (line: string) => void,
): void {
  const INCREMENTAL = 2;
  if (pragma(sqlite, 'auto_vacuum') === INCREMENTAL) return;
  const size = fileSize(file);
  const needed = size * 2.2;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  if (disk.free() < needed + 64 * 1024 * 1024) {
    report(`The database (${megabytes(size)}) cannot shrink yet: that needs ${megabytes(needed)} free at a start.`);
    return;
  }
  report(`Writing the database (${megabytes(size)}) anew, once, so that it can shrink from now on …`);
  const before = process.env['SQLITE_TMPDIR'];
  process.env['SQLITE_TMPDIR'] = disk.folder;
  try {
    sqlite.exec(`
      PRAGMA temp_store = FILE;
      PRAGMA auto_vacuum = INCREMENTAL;
      VACUUM;
      PRAGMA wal_checkpoint(TRUNCATE);
    `);
  } catch (cause) {
    report(`It stays as it is: ${cause instanceof Error ? cause.message : String(cause)}. The next start tries again.`);
  } finally {
    sqlite.exec('PRAGMA temp_store = MEMORY');
    if (before === undefined) delete process.env['SQLITE_TMPDIR'];
    else process.env['SQLITE_TMPDIR'] = before;
  }
}

export interface Reclaim {
  /** Call this after a write: it checks soon whether there is enough to return. */
  check(): void;
  stop(): void;
}

/** On a nearly full disk all unused pages are returned, and the log is emptied after each slice. */
export function openReclaim(sqlite: DatabaseSync, disk: DiskSpace | undefined): Reclaim {
  let timer: NodeJS.Timeout | undefined;
  let pages = MIN_PAGES;
  let isReclaiming = false;

  const after = (ms: number) => {
    timer = setTimeout(slice, ms).unref();
  };
  const slice = () => {
    timer = undefined;
    try {
      const isTight = disk !== undefined && disk.state() !== 'Enough';
      const unused = pragma(sqlite, 'freelist_count');
      const spare = isTight ? 0 : SPARE_PAGES;
      const worthwhile = isTight ? 0 : Math.max(2 * SPARE_PAGES, pragma(sqlite, 'page_count') * WORTHWHILE_SHARE);
      if (unused > (isReclaiming ? spare : worthwhile)) {
        isReclaiming = true;
        const started = performance.now();
        sqlite.exec(`PRAGMA incremental_vacuum(${Math.min(pages, unused - spare)})`);
        if (isTight) sqlite.exec(EMPTY_LOG);
        pages = performance.now() - started < SLICE_MS ? pages * 2 : pages / 2;
        pages = Math.round(Math.max(MIN_PAGES, Math.min(MAX_PAGES, pages)));
        // A database that cannot shrink keeps its size.
        if (pragma(sqlite, 'freelist_count') < unused) return after(PAUSE_MS);
      }
      // Only a checkpoint makes the file shorter.
      if (isReclaiming || isTight) sqlite.exec(EMPTY_LOG);
    } catch {
      // Another program is writing, or there is no space: the next write checks again.
    }
    isReclaiming = false;
  };

  return {
    check: () => {
      if (!timer) after(disk?.isShort() ? PAUSE_MS : CHECK_AFTER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
