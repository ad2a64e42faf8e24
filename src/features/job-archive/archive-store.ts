// The archive in this browser, in a database of its own for each account. This file only knows how a browser stores it:
// what an archived job is, is in archived-job.ts.
import type { ArchivedJob, SealedJob } from './archived-job.ts';
import { sealedBytes } from './archived-job.ts';

/** A job in the list, with the bytes it takes. */
export interface StoredJob extends ArchivedJob {
  bytes: number;
}

/** Why nothing can be stored or read, in words. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const HEADS = 'heads';
/** By job and number: 0 the rows, from 1 on their output. */
const PIECES = 'pieces';

const UNAVAILABLE =
  'This browser keeps nothing for this page, as in a private window or when its storage is turned off. A ZIP file can be saved all the same.';
const FULL =
  'This browser’s storage for this page is full. Delete archived jobs, or save a ZIP file instead. Nothing was deleted from the service.';

function worded(error: unknown): Error {
  if (error instanceof ArchiveError) return error;
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return new ArchiveError(FULL);
  const text = error instanceof Error ? error.message : 'unknown error';
  return new ArchiveError(`The archive in this browser could not be used: ${text}`);
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(worded(request.error));
  });

const nameOf = (account: string) => `muster-archive:${account}`;

function openDatabase(account: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const unavailable = () => reject(new ArchiveError(UNAVAILABLE));
    let request: IDBOpenDBRequest;
    try {
      request = indexedDB.open(nameOf(account), 1);
    } catch {
      unavailable();
      return;
    }
    request.onupgradeneeded = () => {
      request.result.createObjectStore(HEADS, { keyPath: 'id' });
      request.result.createObjectStore(PIECES);
    };
    request.onerror = unavailable;
    request.onsuccess = () => {
      const database = request.result;
      // Another tab, or "delete all site data", wants it: holding on would block that.
      database.onversionchange = () => database.close();
      resolve(database);
    };
  });
}

/** Opened for each use: nothing has to be closed when the account changes. */
async function using<T>(account: string, work: (database: IDBDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(account);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Settled once it is on the disk, as far as a browser promises that. */
function write(database: IDBDatabase, change: (heads: IDBObjectStore, pieces: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction([HEADS, PIECES], 'readwrite', { durability: 'strict' });
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(worded(transaction.error));
    try {
      change(transaction.objectStore(HEADS), transaction.objectStore(PIECES));
    } catch (error) {
      reject(worded(error));
      transaction.abort();
    }
  });
}

const range = (id: string) => IDBKeyRange.bound([id, 0], [id, Infinity]);

export const archiveStore = {
  /** All that is archived, in no order. */
  list: (account: string): Promise<StoredJob[]> =>
    using(account, (database) =>
      answerOf<StoredJob[]>(database.transaction(HEADS).objectStore(HEADS).getAll() as IDBRequest<StoredJob[]>),
    ),

  get: (account: string, id: string): Promise<StoredJob | undefined> =>
    using(account, (database) =>
      answerOf(database.transaction(HEADS).objectStore(HEADS).get(id) as IDBRequest<StoredJob | undefined>),
    ),

  /** Stores a job, and replaces what was stored of it before. */
  put: (account: string, sealed: SealedJob): Promise<void> =>
    using(account, (database) =>
      write(database, (heads, pieces) => {
        const { head, rows, outputs } = sealed;
        pieces.delete(range(head.id));
        for (const [number, piece] of [rows, ...outputs].entries()) pieces.put(piece, [head.id, number]);
        heads.put({ ...head, bytes: sealedBytes(sealed) } satisfies StoredJob);
      }),
    ),

  /** 0 for the rows, from 1 on for their output. */
  piece: (account: string, id: string, number: number): Promise<Uint8Array<ArrayBuffer>> =>
    using(account, async (database) => {
      const store = database.transaction(PIECES).objectStore(PIECES);
      const found = await answerOf(store.get([id, number]) as IDBRequest<Uint8Array<ArrayBuffer> | undefined>);
      if (!found) throw new ArchiveError('A part of this archived job is missing in this browser.');
      return found;
    }),

  /** A job with all that belongs to it. */
  sealed: async (account: string, { bytes: _bytes, ...head }: StoredJob): Promise<SealedJob> => {
    const [rows, ...outputs] = await using(account, (database) =>
      answerOf(
        database.transaction(PIECES).objectStore(PIECES).getAll(range(head.id)) as IDBRequest<
          Uint8Array<ArrayBuffer>[]
        >,
      ),
    );
    if (!rows || outputs.length !== head.pieces.length)
      throw new ArchiveError('A part of this archived job is missing in this browser.');
    return { head, rows, outputs };
  },

  remove: (account: string, ids: readonly string[]): Promise<void> =>
    using(account, (database) =>
      write(database, (heads, pieces) => {
        for (const id of ids) {
          heads.delete(id);
          pieces.delete(range(id));
        }
      }),
    ),
};

/** Undefined: the browser stores it until somebody deletes it. Otherwise why it may be lost. */
export async function askToStay(): Promise<string | undefined> {
  // Missing on plain http: only a secure context has it.
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage?.persist)
    return 'The browser may clear it when the disk runs full: over plain http it cannot be asked to keep it.';
  const isPersistent = await storage.persist().catch(() => false);
  return isPersistent ? undefined : 'The browser may clear it when the disk runs full.';
}
