// Decides on upload whether a tar.gz may go to devices, by the rules that the dashboard also goes by; the browser's
// word alone counts for nothing.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { judgeArchive } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';
import { invalid } from '../http/problem.ts';

/**
 * Reads the whole archive and refuses it with a 400 that names what is wrong with it.
 * @returns the folder inside the archive where update.sh lies, '' for its root
 */
export async function checkTarball(file: string): Promise<string> {
  try {
    await checkMagic(file);
    // What lies behind the compressed data is read by some programs and not by others.
    const unpacked = createGunzip({ chunkSize: 256 * 1024, rejectGarbageAfterEnd: true });
    // The outcome is read from `unpacked`; a fault of the file reaches it through the pipeline.
    pipeline(createReadStream(file), unpacked, () => {});
    return await judgeArchive(unpacked);
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
