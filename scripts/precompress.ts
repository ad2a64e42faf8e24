// Adds a .br and a .gz to each text file of the build, as small as possible: once here, and not at each start of a
// service. Browsers request Brotli over https and on this machine, gzip elsewhere.
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXT = new Set(['.css', '.js', '.json', '.mjs', '.svg', '.txt', '.webmanifest']);
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** All text files of a folder except pages, because each page is sent with its own nonce. */
export async function precompress(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      const [br, gz] = await Promise.all([toBrotli(bytes, { params }), toGzip(bytes, { level: 9 })]);
      for (const [suffix, small] of [
        ['.br', br],
        ['.gz', gz],
      ] as const)
        if (small.length < bytes.length) await writeFile(file + suffix, small);
    }),
  );
}
