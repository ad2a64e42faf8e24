// Jobs that an earlier version has archived in this browser: they can be saved as a JSON file, and then removed.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';

/** A job as it is stored, beside its rows and their output, which are packed JSON. */
interface EarlierJob {
  id: string;
  archived: number;
  job: Job;
}

const HEADS = 'heads';
/** By job and number: 0 the rows, from 1 on their output. */
const PIECES = 'pieces';
const nameOf = (account: string) => `muster-archive:${account}`;

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('This browser cannot read it.')));
  });

/** Undefined if the browser has none, which is then not made. */
async function openDatabase(account: string): Promise<IDBDatabase | undefined> {
  try {
    const request = indexedDB.open(nameOf(account));
    request.addEventListener('upgradeneeded', () => request.transaction?.abort());
    return await answerOf(request);
  } catch {
    return undefined;
  }
}

/** What one request to a store answers. */
async function ask<T>(account: string, store: string, request: (store: IDBObjectStore) => object) {
  const database = await openDatabase(account);
  try {
    return database && (await answerOf(request(database.transaction(store).objectStore(store)) as IDBRequest<T>));
  } finally {
    database?.close();
  }
}

async function unpackRows(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<Job[]> {
  if (!bytes) throw new Error('A part of an archived job is missing in this browser.');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as Job[];
}

/** The job with its devices and their output, as JSON. */
async function jsonOf(account: string, { id, archived, job }: EarlierJob): Promise<string> {
  const range = IDBKeyRange.bound([id, 0], [id, Infinity]);
  const [rows, ...outputs] = (await ask<Uint8Array<ArrayBuffer>[]>(account, PIECES, (all) => all.getAll(range))) ?? [];
  const devices: Job[] = [];
  for (const piece of outputs.length > 0 ? outputs : [rows]) devices.push(...(await unpackRows(piece)));
  return JSON.stringify({ archived, job, devices });
}

export const earlierArchive = {
  list: (account: string) =>
    queryOptions({
      queryKey: ['earlier-archive', account],
      queryFn: async () => (await ask<EarlierJob[]>(account, HEADS, (heads) => heads.getAll())) ?? [],
      enabled: account !== '',
      retry: false,
      staleTime: Infinity,
    }),
  save: (account: string, jobs: readonly EarlierJob[]) =>
    mutationOptions({
      mutationFn: async () => {
        const texts: string[] = [];
        for (const job of jobs) texts.push(texts.length === 0 ? '[\n' : ',\n', await jsonOf(account, job));
        saveFile(datedName('muster-archive', new Date(), 'json'), [...texts, '\n]\n'], 'application/json');
      },
    }),
  /** All of them. */
  remove: (account: string) =>
    mutationOptions({
      mutationFn: async () => void (await answerOf(indexedDB.deleteDatabase(nameOf(account)))),
      onSuccess: (_data, _variables, _result, { client }) => client.invalidateQueries(earlierArchive.list(account)),
    }),
};
