// `agent.mjs check SHA256 tar.gz|script FILE NAME`: checks that a job's artifact is the uploaded one, and that an
// archive is safe to unpack by the same rules as in the browser and the service.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { verifyArchive, verifyPadding } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';

const WHOLE = { start: 0, autoClose: false };

/** What is wrong with an archive, completing "The archive <fault>"; undefined if it may be unpacked. */
export async function archiveFault(file: FileHandle): Promise<string | undefined> {
  const { size: packedSize } = await file.stat();
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  // The pipeline forwards errors of the file to `unpacked`.
  pipeline(file.createReadStream(WHOLE), unpacked, () => {});
  try {
    await verifyArchive(unpacked, packedSize);
    const behind = file.createReadStream({ ...WHOLE, start: unpacked.bytesWritten });
    for await (const rest of behind) verifyPadding(rest as Buffer);
    return undefined;
  } catch (error) {
    if (error instanceof TarFault) return error.message;
    throw error;
  }
}

async function sha256Of(file: FileHandle): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of file.createReadStream(WHOLE)) digest.update(piece as Buffer);
  return digest.digest('hex');
}

/** The exit code is 1 if anything is wrong, with the reason on stderr. */
export async function runCheck([sha256, kind, path, name = '']: string[]): Promise<number> {
  const refuse = (text: string) => {
    process.stderr.write(`${text}\n`);
    return 1;
  };
  if (!sha256 || !kind || !path) return refuse('muster-agent check: needs SHA256 tar.gz|script FILE NAME');
  // Opened only once, so that the hashed file is the checked one.
  const file = await open(path);
  try {
    if ((await sha256Of(file)) !== sha256)
      return refuse(`${name} arrived changed: its SHA-256 is not the one of the upload.`);
    const fault = kind === 'script' ? undefined : await archiveFault(file);
    return fault === undefined ? 0 : refuse(`${name} may not be unpacked: the archive ${fault}.`);
  } finally {
    await file.close();
  }
}
