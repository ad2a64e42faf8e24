// Checks an uploaded tar.gz by the same rules as the dashboard, because the browser's check alone cannot be trusted.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { verifyArchive, verifyPadding } from '#/contract/tar-check.ts';
import type { VerifiedArchive } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';
import { invalid } from '../http/problem.ts';

/** Reads the whole archive and refuses it with a 400 that names the fault. */
export async function checkTarball(file: string): Promise<VerifiedArchive> {
  try {
    await checkMagic(file);
    const unpacked = createGunzip({ chunkSize: 256 * 1024 });
    // The pipeline forwards errors of the file to `unpacked`.
    pipeline(createReadStream(file), unpacked, () => {});
    const verified = await verifyArchive(unpacked, (await stat(file)).size);
    for await (const rest of createReadStream(file, { start: unpacked.bytesWritten })) verifyPadding(rest as Buffer);
    return verified;
  } catch (cause) {
    if (cause instanceof TarFault) throw invalid([{ field: 'file', message: cause.message }]);
    throw cause;
  }
}

async function checkMagic(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead < 2 || buffer[0] !== 0x1f || buffer[1] !== 0x8b)
      throw new TarFault(
        'is not a tar.gz: it does not begin as gzip data does. A single script is uploaded with type "script"',
      );
  } finally {
    await handle.close();
  }
}
