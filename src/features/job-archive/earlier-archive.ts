// Jobs that an earlier version has archived in this browser: they can be saved as a ZIP file, and then removed.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { outputOf } from '#/features/jobs/job-output.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { ZipWriter } from '#/lib/zip-write.ts';

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

/** A name that is safe on every file system, and never one of those that Windows reserves. */
function safeName(text: string): string {
  const name = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const most = /^.{0,60}/u.exec(name)?.[0] ?? '';
  return most.replace(/[.-]+$/, '') || 'unnamed';
}

const numbered = (number: number, width: number) => String(number).padStart(width, '0');

/** The same files as in a ZIP file of the service. */
async function addToZip(zip: ZipWriter, account: string, { id, archived, job }: EarlierJob, number: number) {
  const range = IDBKeyRange.bound([id, 0], [id, Infinity]);
  const [rows, ...outputs] = (await ask<Uint8Array<ArrayBuffer>[]>(account, PIECES, (all) => all.getAll(range))) ?? [];
  const folder = `${numbered(number, 4)}-${safeName(job.JobName || id)}`;
  const file = { format: 'muster-archive', version: 1, archived, job, rows: await unpackRows(rows) };
  await zip.add(`${folder}/job.json`, JSON.stringify(file, undefined, 1));
  let row = 0;
  for (const [piece, output] of outputs.entries()) {
    const full = await unpackRows(output);
    await zip.add(`${folder}/output-${piece + 1}.json`, JSON.stringify(full));
    for (const device of full) {
      const name = `${folder}/${numbered(++row, 5)}-${safeName(device.DeviceName || device.DeviceId)}`;
      const { streams, reason } = outputOf(device);
      for (const stream of streams) if (stream.text) await zip.add(`${name}.${stream.name}.txt`, stream.text);
      if (reason) await zip.add(`${name}.result.txt`, reason);
    }
  }
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
        const zip = new ZipWriter();
        for (const [index, job] of jobs.entries()) await addToZip(zip, account, job, index + 1);
        saveFile(datedName('muster-archive', new Date(), 'zip'), zip.finish(), 'application/zip');
      },
    }),
  /** All of them. */
  remove: (account: string) =>
    mutationOptions({
      mutationFn: async () => void (await answerOf(indexedDB.deleteDatabase(nameOf(account)))),
      meta: { invalidates: [['earlier-archive']] },
    }),
};
