// Download links of artifacts for the Commands that this service generates. Each has its own token, signed (HMAC)
// instead of stored: it must be the same every time the artifact is listed, or no ETag would ever match, and a stored
// one could be only if it were stored in plain text.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { artifactCommand } from './artifact-command.ts';
import type { CommandSource } from './artifact-command.ts';
import type { Tx } from '../store/database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A token is valid for one to two of these periods; all tokens made within one are the same. */
const ALONE_MS = DAY_MS;
/** Links of a job end with the job anyway, and may have to wait for a slow or sleeping device. */
const IN_JOB_MS = 7 * DAY_MS;

export interface Downloads {
  /** The Command of an artifact, for a device that reaches the service at `origin`. */
  commandFor(artifact: CommandSource & { id: string }, where: { origin: string; jobId?: string | undefined }): string;
  /** Whether the query of a download link was signed here, for this artifact, and has not expired. */
  opens(artifactId: string, query: DownloadQuery): boolean;
}

/** The query of a download link, as it came. */
interface DownloadQuery {
  expires: string | undefined;
  token: string | undefined;
  job: string | undefined;
}

/** The key that download links are signed with; made at the first start. */
export async function setUpDownloadKey(tx: Tx): Promise<Buffer> {
  const made = randomBytes(32).toString('hex');
  await tx.run("INSERT INTO settings (key, value) VALUES ('download_key', ?) ON CONFLICT (key) DO NOTHING", made);
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE key = 'download_key'");
  return Buffer.from(row?.value ?? made, 'hex');
}

export function openDownloads(key: Buffer, now: () => number): Downloads {
  const sign = (artifactId: string, jobId: string, expires: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([artifactId, jobId, expires]))
      .digest();

  return {
    commandFor: (artifact, { origin, jobId }) => {
      const period = jobId === undefined ? ALONE_MS : IN_JOB_MS;
      const expires = String((Math.floor(now() / period) + 2) * period);
      const url = new URL(`/download/${artifact.id}`, origin);
      if (jobId !== undefined) url.searchParams.set('job', jobId);
      url.searchParams.set('expires', expires);
      url.searchParams.set('token', sign(artifact.id, jobId ?? '', expires).toString('base64url'));
      return artifactCommand(artifact, url.href);
    },

    opens: (artifactId, { expires = '', token = '', job = '' }) => {
      const given = Buffer.from(token, 'base64url');
      const right = sign(artifactId, job, expires);
      return given.length === right.length && timingSafeEqual(given, right) && Number(expires) > now();
    },
  };
}
