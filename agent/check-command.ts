// `agent.mjs check SHA256 tar.gz|script FILE NAME`: checks that a job's artifact is the uploaded one, and that an
// archive is safe to unpack by the same rules as in the browser and the service.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { verifyArchive } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';

/** What is wrong with an archive, completing "The archive <fault>"; undefined if it may be unpacked. */
export async function archiveFault(packed: Buffer): Promise<string | undefined> {
  const unpacked = createGunzip({ chunkSize: 256 * 1024, rejectGarbageAfterEnd: true });
  unpacked.end(packed);
  let size = 0;
  const counted = async function* () {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      size += piece.length;
      yield piece;
    }
  };
  try {
    await verifyArchive(counted());
    // Older releases of Node.js 20 ignore trailing data, so the size is compared too: gzip data ends with the unpacked
    // size.
    return size === packed.readUInt32LE(packed.length - 4)
      ? undefined
      : 'is not a readable tar.gz: there is more behind its compressed data';
  } catch (error) {
    if (error instanceof TarFault) return error.message;
    throw error;
  }
}

/** The exit code is 1 if anything is wrong, with the reason on stderr. */
export async function runCheck([sha256, kind, file, name = '']: string[]): Promise<number> {
  const refuse = (text: string) => {
    process.stderr.write(`${text}\n`);
    return 1;
  };
  if (!sha256 || !kind || !file) return refuse('muster-agent check: needs SHA256 tar.gz|script FILE NAME');
  // Read only once, so that the hashed bytes are the checked ones. Artifacts are smaller than 10 MB.
  const bytes = readFileSync(file);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    return refuse(`${name} arrived changed: its SHA-256 is not the one of the upload.`);
  const fault = kind === 'script' ? undefined : await archiveFault(bytes);
  return fault === undefined ? 0 : refuse(`${name} may not be unpacked: the archive ${fault}.`);
}
