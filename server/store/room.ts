// Room on the disk that holds DATA_DIR. A ballast file there is removed when the disk is full: deleting needs room,
// too. From then on only what is essential is written, until there is room again.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Problem } from '../http/problem.ts';
import { diskFull, diskFullForGood, diskReadOnly } from '../http/system-fault.ts';

export type DiskState = 'Enough' | 'Low' | 'Full' | 'ReadOnly';

export interface Room {
  readonly folder: string;
  state(): DiskState;
  /** Bytes that are free. */
  free(): number;
  /** A sentence for the operator, where something is wrong. */
  problem(): string | undefined;
  /** A write did not fit. */
  ranOut(): void;
  /** Only what is essential may be written now. */
  isShort(): boolean;
  /** Gives the ballast up. */
  release(): void;
  /** Nothing can be written until the next start. */
  setReadOnly(state: 'Full' | 'ReadOnly'): void;
  isReadOnly(): boolean;
  /** The answer to clients that only write (agents); undefined while writing works. */
  refusal(): Problem | undefined;
  /** A start takes a little room itself: where there is none, the ballast goes first. */
  makeRoomToStart(): void;
  /** Checks the free room; runs by itself every half minute. */
  look(): void;
  close(): void;
}

const MB = 1024 * 1024;
const BALLAST_BYTES = 16 * MB;
/** Less than this is full: a transaction or two. */
const MARGIN_BYTES = 4 * MB;
/** The warning comes below a twentieth of the disk, or below 1 GB where that is less. */
const LOW_SHARE = 0.05;
const MOST_LOW_BYTES = 1024 * MB;
const LEAST_LOW_BYTES = 64 * MB;
const LOOK_EVERY_MS = 30_000;
/** After the start, which it must not hold up. */
const FIRST_LOOK_MS = 250;

/** `report` gets one line when something changes. */
export function openRoom(folder: string, { report }: { report: (line: string) => void }): Room {
  const ballast = path.join(folder, 'ballast');
  let short = false;
  let readOnly: 'Full' | 'ReadOnly' | undefined;
  let reported: DiskState = 'Enough';

  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  const isHeld = () => statSync(ballast, { throwIfNoEntry: false })?.size === BALLAST_BYTES;

  const keepBallast = () => {
    if (isHeld() || free() < BALLAST_BYTES + MARGIN_BYTES) return;
    try {
      const handle = openSync(ballast, 'w', 0o600);
      try {
        // Random, or a disk that compresses would set next to nothing aside.
        for (let at = 0; at < BALLAST_BYTES; at += MB) writeSync(handle, randomBytes(MB));
      } finally {
        closeSync(handle);
      }
    } catch {
      rmSync(ballast, { force: true });
    }
  };

  const isShort = () => {
    if (short && free() >= MARGIN_BYTES + (isHeld() ? 0 : BALLAST_BYTES)) {
      short = false;
      keepBallast();
    }
    return short;
  };

  const state = (): DiskState => {
    if (readOnly) return readOnly;
    if (isShort()) return 'Full';
    const { blocks, bsize } = statfsSync(folder);
    const low = Math.min(MOST_LOW_BYTES, Math.max(LEAST_LOW_BYTES, blocks * bsize * LOW_SHARE));
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

  const release = () => rmSync(ballast, { force: true });

  const look = () => {
    if (readOnly) return;
    if (!isShort()) keepBallast();
    const now = state();
    if (now === reported) return;
    reported = now;
    report(problem() ?? `The disk that holds ${folder} has room again.`);
  };

  const first = setTimeout(look, FIRST_LOOK_MS).unref();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    folder,
    state: () => (readOnly ? 'ReadOnly' : state()),
    free,
    problem,
    isShort,
    look,
    ranOut: () => {
      short = true;
      look();
    },
    release,
    makeRoomToStart: () => {
      if (free() >= MARGIN_BYTES) return;
      release();
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
