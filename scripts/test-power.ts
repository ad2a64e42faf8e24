// Power cuts, for tests of what is stored. A killed process keeps what the system has in its memory; after a power cut
// only what was synced is sure to be there: the bytes of a file by the fsync of that file, its name by the fsync of its
// folder. Of everything else, each part may have reached the disk or not.
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

/** Thrown at the power cut out of the call that was interrupted. */
export class PowerCut extends Error {}

type Synced = { bytes: Buffer } | { names: Map<string, string> };

const real = { ...fs };
/** Calls before which the power may fail. */
const CALLS = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'fsyncSync',
  'fdatasyncSync',
  'renameSync',
  'mkdirSync',
  'rmSync',
  'truncateSync',
] as const;

const keyOf = ({ dev, ino }: fs.Stats) => `${dev}:${ino}`;

/** What handles of node:fs/promises have in common, which no module exports. */
const handles: Pick<FileHandle, 'sync' | 'datasync'> = await fs.promises
  .open(import.meta.filename)
  .then(async (handle) => {
    await handle.close();
    return Object.getPrototypeOf(handle) as FileHandle;
  });
const { sync: realSync, datasync: realDatasync } = handles;

/**
 * A folder on a disk that may lose its power. From `new` until `restore`, this process's calls of node:fs go through it:
 * all of those below that are synchronous, and what flushes handles.
 */
export class UnsafeDisk {
  readonly folder: string;
  readonly #synced = new Map<string, Synced>();
  /** Held open, so that no other file gets the number of a synced one that is removed. */
  readonly #held = new Map<string, number>();
  /** Calls until the power fails. */
  #callsLeft = Infinity;
  #isOff = false;

  /** All that is in the folder now counts as synced. */
  constructor(folder: string) {
    this.folder = folder;
    this.#syncAll(folder);
    const intercepted = Object.fromEntries(CALLS.map((name) => [name, this.#intercept(name)]));
    Object.assign(fs, intercepted);
    syncBuiltinESMExports();
    const sync = (fd: number) => this.#sync(`/proc/self/fd/${fd}`);
    handles.sync = handles.datasync = async function (this: FileHandle) {
      sync(this.fd);
    };
  }

  #intercept(name: (typeof CALLS)[number]) {
    const call = real[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      if (this.#isOff || this.#callsLeft-- <= 0) {
        this.#isOff = true;
        throw new PowerCut(`The power failed before ${name}`);
      }
      // Only its record matters: the real one would take most of the time of a test.
      if (name === 'fsyncSync' || name === 'fdatasyncSync') return this.#sync(`/proc/self/fd/${String(args[0])}`);
      return call(...args);
    };
  }

  /** The power fails before the call after so many. */
  failAfter(calls: number): void {
    this.#callsLeft = calls;
  }

  /** Calls of node:fs no longer go through it. */
  restore(): void {
    Object.assign(fs, Object.fromEntries(CALLS.map((name) => [name, real[name]])));
    syncBuiltinESMExports();
    Object.assign(handles, { sync: realSync, datasync: realDatasync });
  }

  /** Closes what it held open. */
  forget(): void {
    for (const handle of this.#held.values()) real.closeSync(handle);
    this.#held.clear();
  }

  #hold(at: string): string {
    const key = keyOf(real.statSync(at));
    if (!this.#held.has(key)) this.#held.set(key, real.openSync(at, 'r'));
    return key;
  }

  #sync(at: string): void {
    const key = this.#hold(at);
    if (!real.statSync(at).isDirectory()) return void this.#synced.set(key, { bytes: real.readFileSync(at) });
    const names = real.readdirSync(at).map((name): [string, string] => [name, this.#hold(path.join(at, name))]);
    this.#synced.set(key, { names: new Map(names) });
  }

  #syncAll(at: string): void {
    this.#sync(at);
    if (!real.statSync(at).isDirectory()) return;
    for (const name of real.readdirSync(at)) this.#syncAll(path.join(at, name));
  }

  /** Writes what a start after the power cut finds to another folder. `mayKeep` decides about each part that was not synced. */
  writeRest(to: string, mayKeep: (parts: number) => number): void {
    const live = new Map<string, string>();
    const look = (at: string) => {
      const stats = real.lstatSync(at);
      live.set(keyOf(stats), at);
      if (stats.isDirectory()) for (const name of real.readdirSync(at)) look(path.join(at, name));
    };
    look(this.folder);

    const write = (key: string, target: string, isFolder: boolean) => {
      const synced = this.#synced.get(key);
      const at = live.get(key);
      if (!isFolder)
        return real.writeFileSync(target, bytesOf(synced, at ?? this.#held.get(key), mayKeep), { mode: 0o600 });
      real.mkdirSync(target, { recursive: true });
      const before = synced && 'names' in synced ? synced.names : new Map<string, string>();
      const now = new Map(
        at === undefined ? [] : real.readdirSync(at).map((name) => [name, keyOf(real.lstatSync(path.join(at, name)))]),
      );
      for (const name of new Set([...before.keys(), ...now.keys()])) {
        const [one, other] = [before.get(name), now.get(name)];
        const found = one === other || mayKeep(2) === 0 ? one : other;
        if (found !== undefined) write(found, path.join(target, name), this.#isFolder(found, live.get(found)));
      }
    };
    write(keyOf(real.statSync(this.folder)), to, true);
  }

  #isFolder(key: string, at: string | undefined): boolean {
    const handle = this.#held.get(key);
    return (at === undefined ? real.fstatSync(handle ?? -1) : real.lstatSync(at)).isDirectory();
  }
}

/** As they were synced, as they are now, or with a part of what was written since. */
function bytesOf(
  synced: Synced | undefined,
  at: string | number | undefined,
  mayKeep: (parts: number) => number,
): Buffer {
  const before = synced && 'bytes' in synced ? synced.bytes : Buffer.alloc(0);
  const now = at === undefined ? before : real.readFileSync(typeof at === 'number' ? `/proc/self/fd/${at}` : at);
  if (now.equals(before)) return before;
  const added = now.subarray(0, before.length).equals(before) ? before.length : 0;
  const kept = mayKeep(3);
  if (kept === 0) return before;
  return kept === 1 ? now : now.subarray(0, added + mayKeep(now.length - added));
}
