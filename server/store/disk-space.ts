// Free space on the disk of DATA_DIR. A ballast file there is removed when the disk is full, because deleting also
// needs space. From then on only essential writes run, until there is space again.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Unavailable } from './errors.ts';
import { diskFull, diskFullForGood, diskReadOnly } from './system-fault.ts';

export type DiskState = 'Enough' | 'Low' | 'Full' | 'ReadOnly';

export interface DiskSpace {
  readonly folder: string;
  state(): DiskState;
  /** Free bytes. */
  free(): number;
  /** Describes the problem for the operator, if there is one. */
  problem(): string | undefined;
  /** Call this when a write did not fit on the disk. */
  writeFailed(): void;
  /** Whether only essential writes are allowed. */
  isShort(): boolean;
  removeBallast(): void;
  /** No writes are possible until the next start. */
  setReadOnly(state: 'Full' | 'ReadOnly'): void;
  isReadOnly(): boolean;
  /** The error for clients that only write (agents); undefined while writes are possible. */
  refusal(): Unavailable | undefined;
  /** Starting the service needs a little space: if there is none, the ballast is removed first. */
  freeSpaceToStart(): void;
  /** Checks the free space; also runs every half minute. */
  check(): void;
  close(): void;
}

const MB = 1024 * 1024;
const BALLAST_BYTES = 16 * MB;
/** Less than this counts as full: room for a transaction or two. */
const MARGIN_BYTES = 4 * MB;
/** The warning starts below a twentieth of the disk, or below 1 GB if that is less. */
const LOW_SHARE = 0.05;
const MAX_LOW_BYTES = 1024 * MB;
const MIN_LOW_BYTES = 64 * MB;
const CHECK_EVERY_MS = 30_000;
/** The first check waits, so as not to delay the start. */
const FIRST_CHECK_MS = 250;

/** `report` receives a line at each change. */
export function openDiskSpace(folder: string, { report }: { report: (line: string) => void }): DiskSpace {
  const ballast = path.join(folder, 'ballast');
  let short = false;
  let readOnly: 'Full' | 'ReadOnly' | undefined;
  let reported: DiskState = 'Enough';

  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  const hasBallast = () => statSync(ballast, { throwIfNoEntry: false })?.size === BALLAST_BYTES;

  const createBallast = () => {
    if (hasBallast() || free() < BALLAST_BYTES + MARGIN_BYTES) return;
    try {
      const handle = openSync(ballast, 'w', 0o600);
      try {
        // Random bytes: a disk that compresses would reserve almost nothing.
        for (let at = 0; at < BALLAST_BYTES; at += MB) writeSync(handle, randomBytes(MB));
      } finally {
        closeSync(handle);
      }
    } catch {
      rmSync(ballast, { force: true });
    }
  };

  const isShort = () => {
    if (short && free() >= MARGIN_BYTES + (hasBallast() ? 0 : BALLAST_BYTES)) {
      short = false;
      createBallast();
    }
    return short;
  };

  const state = (): DiskState => {
    if (readOnly) return readOnly;
    if (isShort()) return 'Full';
    const { blocks, bsize } = statfsSync(folder);
    const low = Math.min(MAX_LOW_BYTES, Math.max(MIN_LOW_BYTES, blocks * bsize * LOW_SHARE));
    return free() < low ? 'Low' : 'Enough';
  };

  const problem = (): string | undefined => {
    const now = state();
    const left = `${Math.floor(free() / MB)} MB are free`;
    if (now === 'ReadOnly')
      return `The disk that holds ${folder} is read-only: everything can be read, nothing can be changed. Make it writable, then restart the service.`;
    if (now === 'Full' && readOnly)
      return `The disk that holds ${folder} is full (${left}): everything can be read, nothing can be changed. Free ${(BALLAST_BYTES + MARGIN_BYTES) / MB} MB on it, then restart the service.`;
    if (now === 'Full')
      return `The disk that holds ${folder} is full: everything can be read, and jobs, artifacts and devices can be deleted. The rest works again when there is room.`;
    if (now === 'Low')
      return `The disk that holds ${folder} is nearly full (${left}): free some space on it, or delete jobs and artifacts.`;
    return undefined;
  };

  const removeBallast = () => rmSync(ballast, { force: true });

  const check = () => {
    if (readOnly) return;
    if (!isShort()) createBallast();
    const now = state();
    if (now === reported) return;
    reported = now;
    report(problem() ?? `The disk that holds ${folder} has room again.`);
  };

  const first = setTimeout(check, FIRST_CHECK_MS).unref();
  const timer = setInterval(check, CHECK_EVERY_MS).unref();
  return {
    folder,
    state: () => (readOnly ? 'ReadOnly' : state()),
    free,
    problem,
    isShort,
    check,
    writeFailed: () => {
      short = true;
      check();
    },
    removeBallast,
    freeSpaceToStart: () => {
      if (free() >= MARGIN_BYTES) return;
      removeBallast();
      short = true;
    },
    isReadOnly: () => readOnly !== undefined,
    refusal: () =>
      readOnly === 'ReadOnly' ? diskReadOnly() : readOnly ? diskFullForGood() : isShort() ? diskFull() : undefined,
    setReadOnly: (to) => {
      readOnly = to;
    },
    close: () => {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
