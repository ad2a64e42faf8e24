// A large artifact: sent in pieces, then downloaded by a hundred devices at the same time. Its bytes must not gather in the
// memory of the service, nor make others wait.
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Artifact } from '#/contract/artifacts.ts';
import { request, withService, type MeasuredService } from './measured-service.ts';
import { milliseconds, percentile, type Figure, type Row, type Section } from './section.ts';
import { watched } from './watched.ts';

const DEVICES = 100;
const MB = 1024 * 1024;
const PIECE = Buffer.from(randomBytes(8 * MB));

const megabytes = (bytes: number): Figure => ({ value: bytes / 1e6, unit: 'MB' });
const rate = (bytes: number, elapsed: number): Figure => ({ value: bytes / 1e3 / elapsed, unit: 'MB/s' });

export const artifacts: Section = async ({ artifactMegabytes }) => ({
  subject: `one of ${artifactMegabytes} MB, ${DEVICES} devices`,
  rows: await withService((service) => rowsOf(service, artifactMegabytes * MB), {
    env: { ARTIFACT_MAX_MB: String(artifactMegabytes + 1) },
  }),
});

async function rowsOf(service: MeasuredService, bytes: number): Promise<Row[]> {
  const idle = await watched(service, () => sleep(5_000));
  const sent = await watched(service, () => send(service, bytes));
  const { Command } = (await request(service, `/v1/artifact/${sent.result}`)) as Artifact;
  const link = /'(http[^']+)'/.exec(Command)?.[1] ?? '';
  const download = await watched(service, () => Promise.all(Array.from({ length: DEVICES }, () => received(link))));
  for (const count of download.result)
    if (count !== bytes) throw new Error(`A device received ${count} of ${bytes} bytes.`);
  const before = { what: 'before', figure: megabytes(idle.peak) };
  const alone = { what: 'alone', figure: milliseconds(percentile(idle.waits, 0.99)) };
  return [
    { what: 'the upload', figure: rate(bytes, sent.elapsed) },
    { what: 'most memory (RSS) until its end', figure: megabytes(sent.peak), against: before },
    { what: 'a page of devices meanwhile, p99', figure: milliseconds(percentile(sent.waits, 0.99)), against: alone },
    { what: 'all downloads', figure: rate(bytes * DEVICES, download.elapsed) },
    { what: 'most memory (RSS) until their end', figure: megabytes(download.peak), against: before },
    {
      what: 'a page of devices meanwhile, p99',
      figure: milliseconds(percentile(download.waits, 0.99)),
      against: alone,
    },
  ];
}

/** Sends it by tus; the id of the artifact. */
async function send({ url, headers }: MeasuredService, bytes: number): Promise<string> {
  const fields = { filename: 'large.bin', version: '1', type: 'script', destination: '/tmp', command: 'true' };
  const metadata = Object.entries(fields).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const ask = async (method: string, path: string, more: Record<string, string>, body?: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, 'Tus-Resumable': '1.0.0', ...more },
      ...(body && { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
    return answer.headers;
  };
  const begun = await ask('POST', '/v1/uploads', {
    'Upload-Length': String(bytes),
    'Upload-Metadata': metadata.join(','),
  });
  const path = begun.get('location') ?? '';
  for (let at = 0; ;) {
    const answered = await ask(
      'PATCH',
      path,
      { 'Upload-Offset': String(at), 'Content-Type': 'application/offset+octet-stream' },
      new Uint8Array(PIECE.subarray(0, Math.min(PIECE.length, bytes - at))),
    );
    at = Number(answered.get('upload-offset'));
    const made = answered.get('muster-artifact');
    if (made !== null) return made;
  }
}

/** Downloads it as a device does, and counts its bytes. */
async function received(link: string): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(link, { agent: false }, resolve).on('error', reject);
  });
  let count = 0;
  for await (const piece of answer) count += (piece as Buffer).length;
  return count;
}
