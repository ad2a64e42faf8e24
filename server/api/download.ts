// Downloads of artifacts by Commands. The route is outside /v1 and needs no sign-in: the link's token authorizes the
// download of this one file.
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { readRange } from '../http/byte-range.ts';
import { clientAddress } from '../http/client-address.ts';
import type { App } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { logFault } from '../store/system-fault.ts';
import { findArtifact } from '../store/artifacts.ts';
import type { Reader } from '../store/database.ts';

/** The id of the device of a job; undefined if the job no longer needs the artifact, which makes its link invalid. */
const deviceOfJob = async (db: Reader, jobId: string, artifactId: string): Promise<string | undefined> =>
  (
    await db.get<{ device: string }>(
      `SELECT coalesce(devices.id, '') AS device FROM jobs LEFT JOIN devices ON devices.seq = jobs.device_seq
       WHERE jobs.id = ? AND artifact_id = ? AND status IN ('Waiting', 'Running')`,
      jobId,
      artifactId,
    )
  )?.device;

/** A request for part of a file within this time continues the same download. */
const SAME_DOWNLOAD_MS = 60 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Tells whether a request starts a download: the first one for a link from an address does, whatever range it requests,
 * and so does each one for the first byte. Further ranges get no audit entry, because an unstable connection would
 * flood the log with them.
 */
function openStartDetector(): (link: string, address: string, start: number) => boolean {
  const last = new Map<string, number>();
  return (link, address, start) => {
    const now = performance.now();
    const key = `${address} ${link}`;
    const before = last.get(key);
    // Keeps the least recently used first.
    last.delete(key);
    last.set(key, now);
    const [oldest] = last.keys();
    if (last.size > MAX_REMEMBERED && oldest !== undefined) last.delete(oldest);
    return start === 0 || before === undefined || now - before > SAME_DOWNLOAD_MS;
  };
}

export function downloadRoute(app: App, { db, files, downloads, audit, config }: Context): void {
  const startsDownload = openStartDetector();
  app.get('/download/:artifact_id', async (http) => {
    const id = http.req.param('artifact_id');
    const { expires, token, job } = http.req.query();
    const isOpen = downloads.opens(id, { expires, token, job });
    const device = isOpen && job !== undefined ? await deviceOfJob(db, job, id) : undefined;
    if (!isOpen || (job !== undefined && device === undefined))
      throw new Problem(
        403,
        'This download link is not valid, or not any more',
        "Take the artifact's Command anew: the link in it is made for one artifact and expires.",
      );
    const gone = () => new Problem(404, 'This artifact is gone', 'It was deleted after the link to it was made.');
    const artifact = await findArtifact(db, id);
    if (!artifact) throw gone();
    const { sizeBytes } = artifact;
    const etag = `"${artifact.sha256}"`;
    const headers: Record<string, string> = {
      'Content-Type': 'application/octet-stream',
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name).replaceAll("'", '%27')}`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    };
    // An interrupted download can continue. A range for other content (RFC 9110, section 13.1.5) and the range of a
    // HEAD request are ignored.
    const mayUseRange = http.req.method === 'GET' && [undefined, etag].includes(http.req.header('If-Range'));
    const range = mayUseRange ? readRange(http.req.header('Range'), sizeBytes) : undefined;
    if (range === 'unsatisfiable') {
      await files.requireUsable(artifact);
      throw new Problem(416, 'The artifact does not have these bytes', `It holds ${sizeBytes} bytes.`, {
        headers: { 'Content-Range': `bytes */${sizeBytes}` },
      });
    }
    const part = range ?? { start: 0, end: sizeBytes - 1 };
    headers['Content-Length'] = String(part.end - part.start + 1);
    if (range) headers['Content-Range'] = `bytes ${part.start}-${part.end}/${sizeBytes}`;
    if (http.req.method === 'HEAD' || sizeBytes === 0) {
      await files.requireUsable(artifact);
      return http.body(null, 200, headers);
    }
    const bytes = Readable.from(await files.read(artifact, part));
    const address = clientAddress(config, http.env.incoming);
    if (startsDownload(`${id} ${token}`, address, part.start)) {
      const caller = {
        account: { id: artifact.accountId, email: '' },
        actor: device ? `device:${device}` : 'download link',
        address,
      };
      db.write((tx) => audit.record(tx, caller, 'artifact.download', id)).catch((cause: unknown) =>
        logFault('audit: could not record a download', cause),
      );
    }
    return http.body(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, range ? 206 : 200, headers);
  });
}
