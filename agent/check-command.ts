// `agent.mjs check SHA256 tar.gz|script FILE NAME`: whether a job's artifact is the one that was uploaded and, of an
// archive, whether it may be unpacked, by the rules that browser and service went by before.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { judgeArchive } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';

/** What is wrong with an archive, as "The archive <fault>"; undefined where it may be unpacked. */
export async function archiveFault(packed: Buffer): Promise<string | undefined> {
  const unpacked = createGunzip({ chunkSize: 256 * 1024, rejectGarbageAfterEnd: true });
  unpacked.end(packed);
  try {
    await judgeArchive(unpacked);
    // Before Node.js 22 that option is not known: what lies behind the archive is then seen by its length.
    return unpacked.bytesWritten < packed.length ? 'has more behind its compressed data' : undefined;
  } catch (error) {
    if (error instanceof TarFault) return error.message;
    throw error;
  }
}

/** The exit code is 1 unless all is well, with the reason on stderr. */
export async function runCheck([sha256, kind, file, name = '']: string[]): Promise<number> {
  const refuse = (text: string) => {
    process.stderr.write(`${text}\n`);
    return 1;
  };
  if (!sha256 || !kind || !file) return refuse('muster-agent check: needs SHA256 tar.gz|script FILE NAME');
  // One reading for both: what is looked into is what was hashed. Artifacts are smaller than 10 MB.
  const bytes = readFileSync(file);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    return refuse(`${name} arrived changed: its SHA-256 is not the one of the upload.`);
  const fault = kind === 'script' ? undefined : await archiveFault(bytes);
  return fault === undefined ? 0 : refuse(`${name} may not be unpacked: the archive ${fault}.`);
}
