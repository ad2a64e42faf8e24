// Gives pages of the database that are not used any more back to the disk, a few at a time, so that nobody waits for it.
import type { DatabaseSync } from 'node:sqlite';
import { fileSize } from './database-file.ts';
import type { Room } from './room.ts';

/** Kept for what is written next. */
const SPARE_PAGES = 2_000;
/** Less than this much of the file is not worth the moving of pages. */
const WORTHWHILE_SHARE = 0.1;
const LOOK_AFTER_MS = 1_000;
const PAUSE_MS = 10;
/** A slice grows or shrinks to take about this long. */
const SLICE_MS = 8;
const MOST_PAGES = 512;
const LEAST_PAGES = 16;

const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)';

const pragma = (sqlite: DatabaseSync, name: string) => Number(sqlite.prepare(`PRAGMA ${name}`).get()?.[name]);

/**
 * Makes a database of an earlier version able to shrink, by writing it anew, once. Says so, since it takes a moment;
 * where there is no room for it the database goes on as it is.
 */
export function makeShrinkable(sqlite: DatabaseSync, file: string, room: Room, report: (line: string) => void): void {
  const INCREMENTAL = 2;
  if (pragma(sqlite, 'auto_vacuum') === INCREMENTAL) return;
  const size = fileSize(file);
  const needed = size * 2.2;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  if (room.free() < needed + 64 * 1024 * 1024) {
    report(`The database (${megabytes(size)}) cannot shrink yet: that needs ${megabytes(needed)} free at a start.`);
    return;
  }
  report(`Writing the database (${megabytes(size)}) anew, once, so that it can shrink from now on …`);
  const before = process.env['SQLITE_TMPDIR'];
  process.env['SQLITE_TMPDIR'] = room.folder;
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
  /** Something was written: looks soon whether there is much to give back. */
  look(): void;
  stop(): void;
}

/** On a disk that is nearly full no pages are spared, and the log is emptied as it goes. */
export function openReclaim(sqlite: DatabaseSync, room: Room | undefined): Reclaim {
  let timer: NodeJS.Timeout | undefined;
  let pages = LEAST_PAGES;
  /** Goes on until only the spare ones are left. */
  let under = false;

  const after = (ms: number) => {
    timer = setTimeout(slice, ms).unref();
  };
  const slice = () => {
    timer = undefined;
    try {
      const tight = room !== undefined && room.state() !== 'Enough';
      const unused = pragma(sqlite, 'freelist_count');
      const spare = tight ? 0 : SPARE_PAGES;
      const worthwhile = tight ? 0 : Math.max(2 * SPARE_PAGES, pragma(sqlite, 'page_count') * WORTHWHILE_SHARE);
      if (unused > (under ? spare : worthwhile)) {
        under = true;
        const started = performance.now();
        sqlite.exec(`PRAGMA incremental_vacuum(${Math.min(pages, unused - spare)})`);
        if (tight) sqlite.exec(EMPTY_LOG);
        pages = performance.now() - started < SLICE_MS ? pages * 2 : pages / 2;
        pages = Math.round(Math.max(LEAST_PAGES, Math.min(MOST_PAGES, pages)));
        // A database that cannot shrink stays as it is.
        if (pragma(sqlite, 'freelist_count') < unused) return after(PAUSE_MS);
      }
      // The file itself gets shorter only now.
      if (under || tight) sqlite.exec(EMPTY_LOG);
    } catch {
      // Another program is writing, or there is no room for it: the next write looks again.
    }
    under = false;
  };

  return {
    look: () => {
      if (!timer) after(room?.isShort() ? PAUSE_MS : LOOK_AFTER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
