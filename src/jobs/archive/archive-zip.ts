// Archived jobs as a ZIP file: JSON that can be read back, and beside it each output as plain text for whoever opens it
// without us.
import { job as jobSchema } from '#/contract/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { outputOf } from '#/jobs/job-output.ts';
import { Sealer, unpackRows } from './archived-job.ts';
import type { SealedJob } from './archived-job.ts';
import { ZipError, readZipEntries, readZipText } from './zip-read.ts';
import type { ZipWriter } from './zip-write.ts';

const FORMAT = 'muster-archive';
const HEAD = 'job.json';
/** Far above what a job is; beyond it, a file is no archive. */
const MOST_TEXT = 256 * 1024 * 1024;

/** A name that is safe on every file system, and never one of the names that Windows keeps for itself. */
export function safeName(text: string): string {
  const name = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const most = /^.{0,60}/u.exec(name)?.[0] ?? '';
  return most.replace(/[.-]+$/, '') || 'unnamed';
}

const numbered = (place: number, width: number) => String(place).padStart(width, '0');

/** Adds a job to a ZIP, in a folder of its own. `place`: of the job among those of the file, from 1. */
export async function addToZip(zip: ZipWriter, { head, rows, outputs }: SealedJob, place: number): Promise<void> {
  const folder = `${numbered(place, 4)}-${safeName(head.job.JobName || head.id)}`;
  const file = { format: FORMAT, version: 1, archived: head.archived, job: head.job, rows: await unpackRows(rows) };
  await zip.add(`${folder}/${HEAD}`, JSON.stringify(file, undefined, 1));
  let row = 0;
  for (const [piece, output] of outputs.entries()) {
    const full = await unpackRows(output);
    await zip.add(`${folder}/output-${piece + 1}.json`, JSON.stringify(full));
    for (const job of full) {
      row++;
      // The number keeps names apart, and nothing that a device is called can be a path.
      const name = `${folder}/${numbered(row, 5)}-${safeName(job.DeviceName || job.DeviceId)}`;
      const { streams, said } = outputOf(job);
      for (const stream of streams) if (stream.text) await zip.add(`${name}.${stream.name}.txt`, stream.text);
      if (said) await zip.add(`${name}.result.txt`, said);
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

/** The archived jobs in a ZIP file of ours, one after the other. */
export async function* jobsInZip(file: Blob): AsyncGenerator<{ sealed: SealedJob; done: number; total: number }> {
  const entries = new Map((await readZipEntries(file)).map((entry) => [entry.name, entry]));
  const heads = [...entries.values()].filter(({ name }) => name === HEAD || name.endsWith(`/${HEAD}`));
  if (heads.length === 0) throw new ZipError('There is no archived job in this file.');
  for (const [done, entry] of heads.entries()) {
    const folder = entry.name.slice(0, -HEAD.length);
    try {
      const head = JSON.parse(await readZipText(file, entry, MOST_TEXT)) as unknown;
      if (!isObject(head) || head['format'] !== FORMAT) throw new ZipError('There is something else in this file.');
      const job = jobSchema.parse(head['job']);
      if (!job.JobId) throw new ZipError('There is a job without an id in this file.');
      const sealer = new Sealer(job);
      for (let piece = 1; ; piece++) {
        const output = entries.get(`${folder}output-${piece}.json`);
        if (!output) break;
        for (const row of readRows(await readZipText(file, output, MOST_TEXT))) await sealer.add(row);
      }
      const archived = Number(head['archived']);
      const sealed = await sealer.seal(Number.isFinite(archived) && archived > 0 ? archived : undefined);
      yield { sealed, done: done + 1, total: heads.length };
    } catch (error) {
      throw error instanceof SyntaxError ? new ZipError('The file is damaged.', { cause: error }) : error;
    }
  }
}
