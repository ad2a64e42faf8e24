// Download links of artifacts in the Commands that this service generates. Each link has a token that is signed (HMAC)
// instead of stored. It must be the same every time the artifact is listed, or no ETag would ever match; a stored token
// would have to be in plain text for that.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { artifactCommand } from './artifact-command.ts';
import type { CommandSource } from './artifact-command.ts';
import type { Tx } from '../store/database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A token is valid for one to two of these periods; within a period it stays the same. */
const PERIOD_MS = DAY_MS;
/** The links of a job expire with the job anyway, and a device may be slow or asleep for long. */
const JOB_PERIOD_MS = 7 * DAY_MS;

export interface Downloads {
  /** The Command of an artifact, for a device that reaches the service at `origin`. */
  commandFor(artifact: CommandSource & { id: string }, where: { origin: string; jobId?: string | undefined }): string;
  /** Whether the query of a download link was signed here, for this artifact, and has not expired. */
  opens(artifactId: string, query: DownloadQuery): boolean;
}

/** The query of a download link, as received. */
interface DownloadQuery {
  expires: string | undefined;
  token: string | undefined;
  job: string | undefined;
}

/** The key that signs download links, created at the first start. */
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
      const period = jobId === undefined ? PERIOD_MS : JOB_PERIOD_MS;
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
