// Where a Command fetches its artifact. Outside /v1 and outside of sign-in: the link's own token is all that counts, and
// it opens this one file.
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import type { App } from '../implement.ts';
import { Problem } from '../problem.ts';
import { findArtifact } from '../store/artifacts.ts';
import type { Reader } from '../store/database.ts';

/** A link made for a job is good only while that job may still have to fetch. */
const jobNeeds = (db: Reader, jobId: string, artifactId: string): boolean =>
  db.get(
    "SELECT 1 FROM jobs WHERE id = ? AND artifact_id = ? AND status IN ('Waiting', 'Running')",
    jobId,
    artifactId,
  ) !== undefined;

/** The bytes of a file; breaks off where it has become shorter, so that nobody waits for the rest. */
async function* wholeFile(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  let left = sizeBytes;
  for await (const part of handle.createReadStream()) {
    left -= (part as Buffer).length;
    yield part as Buffer;
  }
  if (left > 0) throw new Error(`The file of an artifact became ${left} bytes shorter while it was sent`);
}

export function downloadRoute(app: App, { db, files, downloads }: Context): void {
  app.get('/download/:artifact_id', async (http) => {
    const id = http.req.param('artifact_id');
    const { expires, token, job } = http.req.query();
    if (!downloads.opens(id, { expires, token, job }) || (job !== undefined && !jobNeeds(db, job, id)))
      throw new Problem(
        403,
        'This download link is not valid, or not any more',
        "Take the artifact's Command anew: the link in it is made for one artifact and expires.",
      );
    const gone = () => new Problem(404, 'This artifact is gone', 'It was deleted after the link to it was made.');
    const artifact = findArtifact(db, id);
    if (!artifact) throw gone();
    const handle = await files.open(artifact);
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(artifact.sizeBytes),
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name).replaceAll("'", '%27')}`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    };
    if (http.req.method === 'HEAD') {
      await handle.close();
      return http.body(null, 200, headers);
    }
    const bytes = Readable.from(wholeFile(handle, artifact.sizeBytes));
    return http.body(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, 200, headers);
  });
}
