// A new data folder as the target. Everything arrives in a folder inside it and is renamed at the end; as long as that
// folder is there, no service starts.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';
import { makeFolder } from '../open-store.ts';
import { syncFolder } from '../store/artifact-files.ts';
import { lockFolder } from '../store/lock.ts';
import { UNFINISHED_FOLDER } from '../store/unfinished-move.ts';

/** In the order of their renaming: the database makes the others valid. */
const PARTS = ['artifacts', 'muster.db'];
/** Says where the artifacts were to be. */
const NOTE = 'artifacts-in.txt';
/** What an empty folder may have: the lock, and what a file system has in its root. */
const IGNORED = ['muster.lock', 'muster.lock-journal', 'lost+found'];

export interface FolderTarget {
  folder: string;
  /** What an unfinished move noted; see TableTarget. */
  unfinished: string | undefined;
  /** Marks the folder, and removes what an earlier move left. */
  begin(artifacts: string): Promise<void>;
  /** Where a part is written. */
  path(part: string): string;
  complete(): Promise<void>;
  /** Frees the space of what arrived, and leaves the mark. */
  discard(): void;
  close(): void;
}

/** `isLeftover`: what is in the folder is known to come from an unfinished move, even without a mark. */
export function openFolderTarget(folder: string, { isLeftover = false } = {}): FolderTarget {
  if (makeFolder(folder, '--to') !== 'writable')
    throw new ConfigError(`${folder} is on a read-only disk: make it writable.`);
  const lock = lockFolder(folder);
  const aside = path.join(folder, UNFINISHED_FOLDER);
  const isMarked = existsSync(aside) || isLeftover;
  const expected = isMarked ? [...IGNORED, ...PARTS, UNFINISHED_FOLDER] : IGNORED;
  const others = readdirSync(folder).filter((name) => !expected.includes(name));
  if (others.length > 0) {
    lock.release();
    throw new ConfigError(
      `${folder} is not empty (it holds ${others.slice(0, 3).join(', ')}): name a new folder with --to, or move away what is in this one.`,
    );
  }
  const note = path.join(aside, NOTE);
  return {
    folder,
    unfinished: isMarked ? (existsSync(note) ? readFileSync(note, 'utf8') : '') : undefined,
    begin: async (artifacts) => {
      mkdirSync(aside, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      for (const part of PARTS.toReversed()) rmSync(path.join(folder, part), { recursive: true, force: true });
      for (const part of readdirSync(aside)) rmSync(path.join(aside, part), { recursive: true, force: true });
      writeFileSync(note, artifacts, { mode: 0o600 });
    },
    path: (part) => path.join(aside, part),
    complete: async () => {
      for (const part of PARTS.filter((name) => existsSync(path.join(aside, name)))) {
        renameSync(path.join(aside, part), path.join(folder, part));
        await syncFolder(folder);
      }
      rmSync(aside, { recursive: true });
      await syncFolder(folder);
    },
    discard: () => {
      if (!existsSync(aside)) return;
      for (const part of readdirSync(aside).filter((name) => name !== NOTE))
        rmSync(path.join(aside, part), { recursive: true, force: true });
    },
    close: () => lock.release(),
  };
}
