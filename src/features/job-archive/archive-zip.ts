// Archived jobs as a ZIP file: JSON that can be imported again, and beside it each output as plain text, readable
// without us.
import { job as jobSchema, type Job } from '#/contract/jobs.ts';
import { outputOf } from '#/features/jobs/job-output.ts';
import { Sealer, unpackRows, type SealedJob } from './archived-job.ts';
import { ZipError, readZipEntries, readZipText } from '#/lib/zip-read.ts';
import type { ZipWriter } from '#/lib/zip-write.ts';

const FORMAT = 'muster-archive';
const HEAD = 'job.json';
/** Far above what a job is; beyond it, a file is no archive. */
const MOST_TEXT = 256 * 1024 * 1024;

/** A name that is safe on every file system, and never one of those that Windows reserves. */
export function safeName(text: string): string {
  const name = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const most = /^.{0,60}/u.exec(name)?.[0] ?? '';
  return most.replace(/[.-]+$/, '') || 'unnamed';
}

const numbered = (number: number, width: number) => String(number).padStart(width, '0');

/** Adds a job to a ZIP, in a folder of its own. `number`: of the job among those of the file, from 1. */
export async function addToZip(zip: ZipWriter, { head, rows, outputs }: SealedJob, number: number): Promise<void> {
  const folder = `${numbered(number, 4)}-${safeName(head.job.JobName || head.id)}`;
  const file = { format: FORMAT, version: 1, archived: head.archived, job: head.job, rows: await unpackRows(rows) };
  await zip.add(`${folder}/${HEAD}`, JSON.stringify(file, undefined, 1));
  let row = 0;
  for (const [piece, output] of outputs.entries()) {
    const full = await unpackRows(output);
    await zip.add(`${folder}/output-${piece + 1}.json`, JSON.stringify(full));
    for (const job of full) {
      row++;
      // The number makes names unique, and nothing that a device is called can be a path.
      const name = `${folder}/${numbered(row, 5)}-${safeName(job.DeviceName || job.DeviceId)}`;
      const { streams, reason } = outputOf(job);
      for (const stream of streams) if (stream.text) await zip.add(`${name}.${stream.name}.txt`, stream.text);
      if (reason) await zip.add(`${name}.result.txt`, reason);
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A part of a file that a person chose: read as leniently as an answer of a service, and never believed more. */
function readRows(text: string): Job[] {
  const rows = JSON.parse(text) as unknown;
  if (!Array.isArray(rows)) throw new ZipError('The file is damaged.');
  return rows.map((row) => jobSchema.parse(row));
}

/** The files of archived jobs by their names, each read when it is its turn. */
type Texts = ReadonlyMap<string, () => Promise<string>>;

async function textsOf(files: readonly File[]): Promise<Texts> {
  const texts = new Map<string, () => Promise<string>>();
  for (const file of files) {
    const isZip = (await file.slice(0, 2).text()) === 'PK';
    if (isZip)
      for (const entry of await readZipEntries(file))
        texts.set(`${files.length > 1 ? `${file.name}/` : ''}${entry.name}`, () => readZipText(file, entry, MOST_TEXT));
    else if (file.size > MOST_TEXT) throw new ZipError(`"${file.name}" is larger than anything an archive has.`);
    else texts.set(file.name, () => file.text());
  }
  return texts;
}

/**
 * The archived jobs in files that were exported here, one after the other: ZIP files, or one folder of such a file as it
 * was unpacked, its job.json with its output-1.json and so on.
 */
export async function* jobsIn(
  files: readonly File[],
): AsyncGenerator<{ sealed: SealedJob; done: number; total: number }> {
  const texts = await textsOf(files);
  const heads = [...texts].filter(([name]) => name === HEAD || name.endsWith(`/${HEAD}`));
  if (heads.length === 0) throw new ZipError('There is no archived job in this file.');
  for (const [done, [name, readHead]] of heads.entries()) {
    const folder = name.slice(0, -HEAD.length);
    try {
      const head = JSON.parse(await readHead()) as unknown;
      if (!isObject(head) || head['format'] !== FORMAT) throw new ZipError('There is something else in this file.');
      const job = jobSchema.parse(head['job']);
      if (!job.JobId) throw new ZipError('There is a job without an id in this file.');
      const sealer = new Sealer(job);
      let count = 0;
      for (let piece = 1; ; piece++) {
        const readOutput = texts.get(`${folder}output-${piece}.json`);
        if (!readOutput) break;
        for (const row of readRows(await readOutput())) {
          await sealer.add(row);
          count++;
        }
      }
      if (Array.isArray(head['rows']) && head['rows'].length > count)
        throw new ZipError('Output is missing: choose all files of the job together, job.json and each output-….json.');
      const archived = Number(head['archived']);
      const sealed = await sealer.seal(Number.isFinite(archived) && archived > 0 ? archived : undefined);
      yield { sealed, done: done + 1, total: heads.length };
    } catch (error) {
      throw error instanceof SyntaxError ? new ZipError('The file is damaged.', { cause: error }) : error;
    }
  }
}
