// The archive in this browser, in a database of its own for each account. This file only knows how a browser stores it:
// what an archived job is, is in archived-job.ts.
import { sealedBytes, type ArchivedJob, type SealedJob } from './archived-job.ts';

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

/** What one request to a store answers. */
const ask = <T>(account: string, store: string, request: (store: IDBObjectStore) => object): Promise<T> =>
  using(account, (database) => answerOf(request(database.transaction(store).objectStore(store)) as IDBRequest<T>));

/** Settled once it is on the disk, as far as a browser promises that. */
const write = (account: string, change: (heads: IDBObjectStore, pieces: IDBObjectStore) => void): Promise<void> =>
  using(account, (database) => {
    const transaction = database.transaction([HEADS, PIECES], 'readwrite', { durability: 'strict' });
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(worded(transaction.error));
      try {
        change(transaction.objectStore(HEADS), transaction.objectStore(PIECES));
      } catch (error) {
        reject(worded(error));
        transaction.abort();
      }
    });
  });

const range = (id: string) => IDBKeyRange.bound([id, 0], [id, Infinity]);

const incomplete = () => new ArchiveError('A part of this archived job is missing in this browser.');

export const archiveStore = {
  /** All that is archived, the latest first. */
  list: async (account: string): Promise<StoredJob[]> => {
    const jobs = await ask<StoredJob[]>(account, HEADS, (heads) => heads.getAll());
    return jobs.sort((one, two) => two.archived - one.archived);
  },

  get: (account: string, id: string) => ask<StoredJob | undefined>(account, HEADS, (heads) => heads.get(id)),

  /** Stores a job, and replaces what was stored of it before. */
  put: (account: string, sealed: SealedJob): Promise<void> =>
    write(account, (heads, pieces) => {
      const { head, rows, outputs } = sealed;
      pieces.delete(range(head.id));
      for (const [number, piece] of [rows, ...outputs].entries()) pieces.put(piece, [head.id, number]);
      heads.put({ ...head, bytes: sealedBytes(sealed) } satisfies StoredJob);
    }),

  /** 0 for the rows, from 1 on for their output. */
  piece: async (account: string, id: string, number: number): Promise<Uint8Array<ArrayBuffer>> => {
    const found = await ask<Uint8Array<ArrayBuffer> | undefined>(account, PIECES, (pieces) => pieces.get([id, number]));
    if (!found) throw incomplete();
    return found;
  },

  /** A job with all that belongs to it. */
  sealed: async (account: string, { bytes: _bytes, ...head }: StoredJob): Promise<SealedJob> => {
    const pieces = await ask<Uint8Array<ArrayBuffer>[]>(account, PIECES, (store) => store.getAll(range(head.id)));
    const [rows, ...outputs] = pieces;
    if (!rows || outputs.length !== head.pieces.length) throw incomplete();
    return { head, rows, outputs };
  },

  remove: (account: string, ids: readonly string[]): Promise<void> =>
    write(account, (heads, pieces) => {
      for (const id of ids) {
        heads.delete(id);
        pieces.delete(range(id));
      }
    }),
};

/** Asks the browser not to clear the archive when the disk runs full. Over plain http it cannot be asked. */
export async function askToStay(): Promise<void> {
  const { storage } = navigator as { storage?: StorageManager };
  await storage?.persist?.().catch(() => undefined);
}
