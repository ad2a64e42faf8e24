// The service's time. A computer's clock can be set by years while the service runs (NTP after a start without a
// battery, a mistaken `date`) or while it is stopped. That must neither sign anyone out nor change the time limit of a
// job: `now` runs evenly; each second it is compared with the computer's clock, and if that was set, all times that are
// still measured (sessions, running jobs, …) move by the same amount, in the transaction in which `now` moves.
//
// For a start, the last pair of clock and uptime is stored. In the same boot, the uptime shows how long the service was
// stopped and whether the clock was set meanwhile; after a reboot, only a clock that was set back can be detected.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Database, Reader, Tx } from './store/database.ts';

/** The sources of time, in milliseconds; tests have their own. */
export interface TimeSource {
  /** The computer's clock, which can be set. */
  wall(): number;
  /** Monotonic while the computer is awake; cheap to read. */
  steady(): number;
  /** Time since the computer started, including sleep. */
  uptime(): number;
  /** Identifies this boot of the computer, if that is known. */
  boot: string | undefined;
}

export interface Clock {
  /** Milliseconds since the epoch, for everything stored or shown. */
  now: () => number;
  /** Milliseconds of a monotonic clock, for times in memory. */
  steady: () => number;
  /** Like `now`, but without corrections: for dates in signed links. */
  unset: () => number;
  /** Compares with the computer's clock; resolves when a change is stored. Also runs each second. */
  check(): Promise<void>;
  /** Calls back when the clock was set, in the transaction that moves the stored times. */
  onSet(listener: (by: number) => void): void;
  close(): Promise<void>;
}

interface ClockOptions {
  db: Database;
  /** Moves the stored times that are still measured. */
  moveTimes: (tx: Tx, by: number) => Promise<unknown>;
  /** Reports that the clock was set, or that this could not be stored. */
  report: (message: string, cause?: unknown) => void;
  time?: TimeSource | undefined;
  /** Whether this process stores the time and moves the stored times. Nodes share these: one of them does it. */
  isKeeper?: () => boolean;
}

interface Saved {
  wall: number;
  uptime: number;
  boot: string | undefined;
  /** By how much the stored times were moved in all. */
  set: number;
}

/** Smaller differences are normal adjustments, and are followed without a report. */
const MIN_MS = 2_000;
const CHECK_EVERY_MS = 1_000;
const SAVE_EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export async function openClock({
  db,
  moveTimes,
  report,
  time = systemTime(),
  isKeeper = () => true,
}: ClockOptions): Promise<Clock> {
  const listeners: ((by: number) => void)[] = [];
  const before = await readSaved(db);
  let set = before?.set ?? 0;
  let anchor = { wall: time.wall(), uptime: time.uptime() };
  // Difference of `now` and the monotonic clock.
  let base = anchor.wall - time.steady();
  let savedAt = time.steady();
  let wasKeeper = false;
  const now = () => Math.round(base + time.steady());

  const save = async (tx: Tx, storedSet: number) => {
    const saved: Saved = { ...anchor, boot: time.boot, set: storedSet };
    await tx.run(
      "INSERT INTO settings (key, value) VALUES ('clock', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      JSON.stringify(saved),
    );
    savedAt = time.steady();
  };
  const move = (by: number) => {
    if (by === 0) return;
    base += by;
    set += by;
    for (const listener of listeners) listener(by);
  };

  let isStored = true;
  /**
   * Changes `now` and the stored times in one turn: no write in between may see only one of the changes. The stored times
   * follow the keeper's clock: the next keeper makes up for a step that came while there was none.
   */
  const adopt = async (by: number) => {
    wasKeeper = isKeeper();
    if (!wasKeeper) return move(by);
    let moved = false;
    try {
      await db.write(
        async (tx) => {
          const storedSet = (await readSaved(tx))?.set ?? 0;
          const missing = set + by - storedSet;
          const isBehind = Math.abs(missing) >= MIN_MS;
          if (isBehind) await moveTimes(tx, missing);
          if (by !== 0) {
            move(by);
            moved = true;
          }
          await save(tx, isBehind ? storedSet + missing : storedSet);
        },
        { essential: true },
      );
      if (by !== 0) report(`The clock of this machine was set ${by > 0 ? 'forward' : 'back'} by ${spanOf(by)}.`);
      isStored = true;
    } catch (cause) {
      // For example on a full disk. The next check finds the same difference again.
      wasKeeper = false;
      if (moved) move(-by);
      anchor = { ...anchor, wall: anchor.wall - by };
      if (isStored) report('Could not store the time', cause);
      isStored = false;
    }
  };

  const atStart = before && isKeeper() ? setWhileStopped(before, { ...anchor, boot: time.boot }) : 0;
  base -= atStart; // `move` adds it
  await adopt(atStart);

  let checking: Promise<void> | undefined;
  const check = async () => {
    const present = { wall: time.wall(), uptime: time.uptime() };
    const by = Math.round(present.wall - (anchor.wall + present.uptime - anchor.uptime));
    anchor = present;
    if (Math.abs(by) >= MIN_MS) {
      base = present.wall - by - time.steady();
      return adopt(by);
    }
    base = present.wall - time.steady();
    const becomesKeeper = !wasKeeper && isKeeper();
    wasKeeper = isKeeper();
    return becomesKeeper || time.steady() - savedAt >= SAVE_EVERY_MS ? adopt(0) : undefined;
  };
  /** Checks never overlap: a change is stored before the next check. */
  const checkOnce = () => (checking ??= check().finally(() => (checking = undefined)));
  const timer = setInterval(() => void checkOnce(), CHECK_EVERY_MS).unref();

  return {
    now,
    steady: () => time.steady(),
    unset: () => now() - set,
    check: checkOnce,
    onSet: (listener) => void listeners.push(listener),
    close: async () => {
      clearInterval(timer);
      await checking;
      await adopt(0);
    },
  };
}

/** By how much the clock was set while the service was stopped, if that can be known. */
function setWhileStopped(before: Saved, present: Omit<Saved, 'set'>): number {
  const isSameBoot = before.boot !== undefined && before.boot === present.boot && present.uptime >= before.uptime;
  const by = Math.round(present.wall - (before.wall + (isSameBoot ? present.uptime - before.uptime : 0)));
  if (Math.abs(by) < MIN_MS) return 0;
  // After a reboot, elapsed time and a clock that was set forward look the same.
  return isSameBoot || by < 0 ? by : 0;
}

async function readSaved(db: Reader): Promise<Saved | undefined> {
  const row = await db.get<{ value: string }>("SELECT value FROM settings WHERE key = 'clock'");
  return row && (JSON.parse(row.value) as Saved);
}

function spanOf(by: number): string {
  const days = Math.abs(by) / DAY_MS;
  if (days >= 2) return `${Math.round(days)} days`;
  return `${Math.round(Math.abs(by) / 1000)} seconds`;
}

function systemTime(): TimeSource {
  let boot: string | undefined;
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux.
  }
  return { wall: () => Date.now(), steady: () => performance.now(), uptime: () => uptime() * 1000, boot };
}
