// Decides on upload whether a tar.gz may go to devices: it must hold an update.sh where the generated Command looks for
// it, and nothing that could reach outside the folder it is unpacked in (node-tar's CVE-2026-23745 is what a careless
// reading of links leads to) or fill the device's disk.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { invalid } from './problem.ts';
import { shown, TarFault, tarEntries } from './tar-entries.ts';
import type { TarEntry } from './tar-entries.ts';

const MOST_UNPACKED = 512 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
const SETUID_OR_SETGID = 0o6000;

/** 'a//./b/' as ['a', 'b']; refuses what leads out. */
function partsOf(path: string, what: string): string[] {
  if (path.startsWith('/')) throw new TarFault(`holds ${what}, an absolute path: pack it with relative paths`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new TarFault(`holds ${what}, which leads out of the archive's own folder`);
  return parts;
}

/**
 * A symbolic link may climb only at its beginning, and no further than to the archive's own folder. Climbing later
 * ("a/..") is refused: `a` may itself be a link, and then ".." is not where it seems to be.
 */
function checkSymbolicLink(entry: TarEntry, depth: number): void {
  const name = shown(entry.path);
  if (entry.target.startsWith('/'))
    throw new TarFault(`holds ${name}, a link to the absolute path ${shown(entry.target)}`);
  const parts = entry.target.split('/').filter((part) => part !== '' && part !== '.');
  const climbs = parts.findIndex((part) => part !== '..');
  const up = climbs === -1 ? parts.length : climbs;
  if (parts.length === 0 && entry.target === '') throw new TarFault(`holds ${name}, a link to nothing`);
  if (up > depth || parts.lastIndexOf('..') >= up)
    throw new TarFault(`holds ${name}, a link that leads out of the archive's own folder (to ${shown(entry.target)})`);
}

/** Checks every entry; returns the folder that holds update.sh, '' for the root of the archive. */
async function judge(entries: AsyncIterable<TarEntry>): Promise<string> {
  const kinds = new Map<string, TarEntry['kind']>();
  let count = 0;
  for await (const entry of entries) {
    const name = shown(entry.path);
    count += 1;
    if (count > MOST_ENTRIES) throw new TarFault(`holds more than ${MOST_ENTRIES.toLocaleString('en')} entries`);
    const parts = partsOf(entry.path, name);
    if (entry.kind === 'device')
      throw new TarFault(`holds ${name}, a device or pipe: only files, folders and links are allowed`);
    if (entry.kind === 'other')
      throw new TarFault(`holds ${name}, an entry of an unusual kind: only files, folders and links are allowed`);
    if (parts.length === 0) {
      if (entry.kind !== 'folder') throw new TarFault(`holds ${name}, an entry without a name`);
      continue;
    }
    if (entry.kind !== 'folder' && (entry.mode & SETUID_OR_SETGID) !== 0)
      throw new TarFault(`holds ${name}, a program that runs with another user's rights (setuid or setgid)`);
    const path = parts.join('/');
    if (entry.kind === 'symbolic link') checkSymbolicLink(entry, parts.length - 1);
    if (entry.kind === 'hard link') {
      const target = partsOf(entry.target, `${name}, a link to ${shown(entry.target)}`).join('/');
      if (kinds.get(target) !== 'file' && kinds.get(target) !== 'hard link')
        throw new TarFault(
          `holds ${name}, a hard link to ${shown(entry.target)}, which is no file earlier in the archive`,
        );
    }
    const before = kinds.get(path);
    if (before !== undefined && (before !== entry.kind || entry.kind === 'symbolic link'))
      throw new TarFault(`holds ${name} twice, and not as the same kind of thing`);
    kinds.set(path, entry.kind);
  }
  for (const path of kinds.keys())
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const above = kinds.get(path.slice(0, slash));
      if (above !== undefined && above !== 'folder')
        throw new TarFault(
          `holds ${shown(path)}, which would be unpacked through ${shown(path.slice(0, slash))}, a ${above}`,
        );
    }
  return folderOfUpdate(kinds);
}

function folderOfUpdate(kinds: Map<string, TarEntry['kind']>): string {
  const runnable = (path: string) => kinds.has(path) && kinds.get(path) !== 'folder';
  if (runnable('update.sh')) return '';
  const folders = [...kinds.keys()].filter((path) => /^[^/]+\/update\.sh$/.test(path) && runnable(path));
  const [found] = folders;
  if (found === undefined) throw new TarFault('holds no update.sh, neither at its root nor inside one top folder');
  if (folders.length > 1)
    throw new TarFault(
      `holds several update.sh (${folders.slice(0, 3).map(shown).join(', ')}): only one top folder may have one`,
    );
  const bytes = Buffer.from(found.slice(0, -'/update.sh'.length), 'latin1');
  const folder = bytes.toString('utf8');
  // The Command that devices run is text, so the folder's name has to be.
  if (!Buffer.from(folder).equals(bytes))
    throw new TarFault(`holds update.sh in a folder whose name is not UTF-8 (${shown(found)})`);
  return folder;
}

/**
 * Reads the whole archive and refuses it with a 400 that names what is wrong with it.
 * @returns the folder inside the archive where update.sh lies, '' for its root
 */
export async function checkTarball(file: string): Promise<string> {
  try {
    await checkMagic(file);
    const unpacked = createGunzip({ chunkSize: 256 * 1024 });
    // The outcome is read from `unpacked`; a fault of the file reaches it through the pipeline.
    pipeline(createReadStream(file), unpacked, () => {});
    return await judge(tarEntries(unpacked, MOST_UNPACKED));
  } catch (cause) {
    if (cause instanceof TarFault) throw invalid([{ field: 'file', message: cause.message }]);
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_'))
      throw invalid([
        { field: 'file', message: 'is not a readable tar.gz: its compressed data is damaged or cut off' },
      ]);
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
