// The state of every device at one time and all changes until another: what a replay of the fleet shows. A million changes take
// 9 MB in memory, as columns.
import type { Reader } from './database.ts';
import type { Scope } from './scope.ts';
import { isOnline, type Cause, type Span } from './state-history.ts';
import { changesIn, devicesOf, statesAt, type ChangeColumns } from './state-series.ts';

/** The letters of the contract as bytes; `-`: not connected yet. */
export const LETTERS = { online: 79, offline: 70, absent: 45 } as const;

export interface StateReplay {
  ids: string[];
  /** At the beginning of the span, one letter for each of `ids`. */
  states: Uint8Array;
  /** How many of the columns below are filled. */
  changes: number;
  /** Seconds since the beginning of the span, ascending. */
  seconds: Uint32Array;
  /** Positions in `ids`. */
  device: Uint32Array;
  /** 1: Online. */
  online: Uint8Array;
}

/** Columns that double in length when they are full. */
class Columns {
  length = 0;
  seconds = new Uint32Array(1024);
  device = new Uint32Array(1024);
  online = new Uint8Array(1024);

  push(seconds: number, device: number, online: boolean): void {
    if (this.length === this.seconds.length) {
      const grown = { seconds: this.seconds, device: this.device, online: this.online };
      this.seconds = new Uint32Array(2 * this.length);
      this.device = new Uint32Array(2 * this.length);
      this.online = new Uint8Array(2 * this.length);
      this.seconds.set(grown.seconds);
      this.device.set(grown.device);
      this.online.set(grown.online);
    }
    this.seconds[this.length] = seconds;
    this.device[this.length] = device;
    this.online[this.length] = Number(online);
    this.length++;
  }
}

/** Of the devices in the scope that exist now, each from its first connection. */
export async function stateReplay(
  db: Reader,
  scope: Scope,
  { from, to }: Span,
  otherWork: () => Promise<unknown>,
): Promise<StateReplay> {
  const ids: string[] = [];
  const seqs: number[] = [];
  const letters: number[] = [];
  const changedLater: number[] = [];
  for await (const rows of devicesOf(db, scope)) {
    for (const row of rows) {
      if (row.last_seen === null) continue;
      // A device whose last change lies after the span is looked up.
      if (row.state_time > to) changedLater.push(ids.length);
      letters.push(row.state_online === 1 ? LETTERS.online : LETTERS.offline);
      seqs.push(row.seq);
      ids.push(row.id);
    }
    await otherWork();
  }
  const states = Uint8Array.from(letters);
  const positions = positionsOf(seqs);
  /** 1 for each position whose state at the beginning is looked up. */
  const isUnsure = new Uint8Array(ids.length);
  for (const position of changedLater) isUnsure[position] = 1;

  const columns = new Columns();
  /** Not within the loop that waits, which runs several times as slowly. */
  const addChanges = ({ at: times, device_seq, cause: causes }: ChangeColumns) => {
    for (let i = 0; i < times.length; i++) {
      const position = positions[device_seq[i]!] ?? -1;
      if (position < 0) continue;
      columns.push(Math.floor((times[i]! - from) / 1000), position, isOnline(causes[i] as Cause));
      isUnsure[position] = 1;
    }
  };
  for await (const changes of changesIn(db, { from, to })) {
    addChanges(changes);
    await otherWork();
  }

  const unsure = seqs.filter((_, position) => isUnsure[position] === 1);
  const before = await statesAt(db, unsure, from, otherWork);
  for (const seq of unsure) {
    const wasOnline = before.get(seq);
    states[positions[seq]!] = wasOnline === undefined ? LETTERS.absent : wasOnline ? LETTERS.online : LETTERS.offline;
  }
  const { length, seconds, device, online } = columns;
  return { ids, states, changes: length, seconds, device, online };
}

/** By seq, -1 for none: with a Map, most of the time would go into looking up the devices of the changes. */
function positionsOf(seqs: readonly number[]): Int32Array {
  const positions = new Int32Array((seqs.at(-1) ?? 0) + 1).fill(-1);
  for (const [position, seq] of seqs.entries()) positions[seq] = position;
  return positions;
}
