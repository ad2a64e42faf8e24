// The rules for archives that devices unpack: nothing outside the target folder (careless handling of links led to
// node-tar's CVE-2026-23745), nothing that fills a disk, and an update.sh where the generated Command expects it. The browser
// checks a file before it sends it, the service when it receives it, and the agent before it unpacks it.
import { nameBytes, readable, tarEntries, TarFault, type TarEntry, type TarKind } from './tar-entries.ts';

const MAX_UNPACKED = 512 * 1024 * 1024;
const MAX_RATIO = 4;
/** To how many bytes an archive of this size may unpack. */
export const mostUnpacked = (packedSize: number): number => Math.max(MAX_UNPACKED, MAX_RATIO * packedSize);

const MAX_ENTRIES = 50_000;
/** Longer paths cannot be unpacked on Linux (PATH_MAX). */
const MAX_PATH = 4096;
const SETUID_OR_SETGID = 0o6000;

/** Why an archive is refused. `text` completes "The archive …"; `fix` is a sentence that says what to do. */
export interface TarRefusal {
  text: string;
  fix: string;
}

const RELATIVE = 'Pack the folder itself with relative paths: tar -czf name.tar.gz -C folder .';
const PLAIN = 'Pack only files, folders and links between them.';
const AGAIN = 'Pack it again from a clean folder.';

const shown = (name: string) => `"${readable(name)}"`;
const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');
const leadsOut = (path: string) => path.startsWith('/') || partsOf(path).includes('..');

/**
 * A symbolic link may go up only at its beginning, and at most to the archive's own folder. Going up later ("a/..") is
 * refused, because `a` may itself be a link, and ".." then leads elsewhere.
 */
function linkLeadsOut(target: string, depth: number): boolean {
  const parts = partsOf(target);
  const first = parts.findIndex((part) => part !== '..');
  const up = first === -1 ? parts.length : first;
  return target.startsWith('/') || up > depth || parts.lastIndexOf('..') >= up;
}

/** Checks an archive entry by entry, in order. */
export class TarCheck {
  /** The kind of entry at each path, which has the archive's own bytes, without "./" and double slashes. */
  readonly kinds = new Map<string, TarKind>();
  #count = 0;

  /**
   * Checks the next entry.
   * @returns its path, '' for the archive's own folder, and why it is refused
   */
  add(entry: TarEntry): { path: string; refusal: TarRefusal | undefined } {
    this.#count += 1;
    if (this.#count > MAX_ENTRIES)
      throw new TarFault(`holds more than ${MAX_ENTRIES.toLocaleString('en')} entries: pack fewer`);
    if (entry.path.length > MAX_PATH) throw new TarFault(`holds a path of more than ${MAX_PATH} characters`);
    const parts = partsOf(entry.path);
    const path = parts.join('/');
    const refusal = this.#faultOf(entry, parts, path);
    // A refused entry does not exist: it can be neither update.sh nor the target of a link.
    if (path !== '' && !refusal) this.kinds.set(path, entry.kind);
    return { path, refusal };
  }

  #faultOf(entry: TarEntry, parts: string[], path: string): TarRefusal | undefined {
    const { kind, target } = entry;
    const holds = (what: string, fix: string) => ({ text: `holds ${shown(entry.path)}, ${what}`, fix });
    if (entry.path.startsWith('/')) return holds('an absolute path', RELATIVE);
    if (parts.includes('..')) return holds("which leads out of the archive's own folder", RELATIVE);
    if (kind === 'device') return holds('a device or pipe', PLAIN);
    if (kind === 'other') return holds('an entry of an unusual kind', PLAIN);
    if (path === '') return kind === 'folder' ? undefined : { text: 'holds an entry without a name', fix: AGAIN };
    // No program creates a file under such a name.
    if (kind !== 'folder' && /\/\.?$/.test(entry.path)) return holds('a file with the name of a folder', AGAIN);
    if (kind !== 'folder' && (entry.mode & SETUID_OR_SETGID) !== 0)
      return holds(
        "a program that runs with another user's rights (setuid or setgid)",
        'Remove that with chmod ug-s, then pack again.',
      );
    if (kind === 'symbolic link') {
      if (target === '') return holds('a link to nothing', 'Link to a file inside, with a relative path.');
      if (linkLeadsOut(target, parts.length - 1))
        return holds(
          target.startsWith('/')
            ? `a link to the absolute path ${shown(target)}`
            : `a link that leads out of the archive's own folder, to ${shown(target)}`,
          'Link to a file inside, with a relative path.',
        );
    }
    if (kind === 'hard link') {
      const at = this.kinds.get(partsOf(target).join('/'));
      if (leadsOut(target))
        return holds(`a hard link that leads out, to ${shown(target)}`, 'Pack with --hard-dereference.');
      if (at !== 'file' && at !== 'hard link')
        return holds(
          `a hard link to ${shown(target)}, which is no file earlier in the archive`,
          'Pack with --hard-dereference.',
        );
    }
    const before = this.kinds.get(path);
    if (before !== undefined && (before !== kind || kind === 'symbolic link'))
      return { text: `holds ${shown(path)} twice, and not as the same kind of thing`, fix: AGAIN };
    return undefined;
  }

  /** Refuses entries below something that is not a folder. Call it after the last entry. */
  *entriesBelowNonFolders(): Generator<TarRefusal> {
    for (const path of this.kinds.keys())
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
        const above = this.kinds.get(path.slice(0, slash));
        if (above === undefined || above === 'folder') continue;
        const through = `which would be unpacked through ${shown(path.slice(0, slash))}, a ${above}`;
        yield { text: `holds ${shown(path)}, ${through}`, fix: AGAIN };
      }
  }

  /** The folder of the update.sh to run, '' for the root. Call it after the last entry. */
  update(): { folder: string } | TarRefusal {
    const files = [...this.kinds].filter(([, kind]) => kind !== 'folder').map(([path]) => path);
    if (files.includes('update.sh')) return { folder: '' };
    const inFolders = files.filter((path) => /^[^/]+\/update\.sh$/.test(path));
    const [found] = inFolders;
    if (found === undefined) return missing(files);
    if (inFolders.length > 1)
      return {
        text: `holds several update.sh: ${inFolders.slice(0, 3).map(shown).join(', ')}`,
        fix: 'Keep one of them, or put one update.sh at the root that calls the others.',
      };
    try {
      const bytes = nameBytes(found.slice(0, -'/update.sh'.length));
      return { folder: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
      // The Command for devices is text, so the folder's name must be text too.
      const text = `holds update.sh in a folder whose name is not UTF-8, ${shown(found)}`;
      return { text, fix: 'Rename that folder, then pack again.' };
    }
  }
}

function missing(files: string[]): TarRefusal {
  const nested = files.find((path) => path.endsWith('/update.sh'));
  if (nested !== undefined)
    return {
      text: `holds no update.sh at its root or in one top folder: it is nested too deep, at ${shown(nested)}`,
      fix: 'Pack the folder that contains it: tar -czf name.tar.gz -C folder .',
    };
  const similar = files.find((path) => /(^|\/)update(\.sh)?(\.txt)?$/i.test(path));
  return {
    text: similar === undefined ? 'holds no update.sh' : `holds no update.sh, only ${shown(similar)}`,
    fix: 'Devices run update.sh: put one at the root, or in the one top folder.',
  };
}

const refused = ({ text, fix }: TarRefusal) => new TarFault(`${text}. ${fix.replace(/\.$/, '')}`);

/** Completes "The archive …". */
export const DAMAGED =
  'is not a readable tar.gz: its compressed data is damaged or cut off, or there is more behind it';

/**
 * Throws a TarFault unless this piece of what is behind the compressed data is nothing but zeros. A gzip file has one member or several, and may be
 * filled up with zeros, as gzip(1) accepts; what some programs would read and others would not is refused.
 */
export function verifyPadding(piece: Uint8Array): void {
  if (piece.some((byte) => byte !== 0)) throw new TarFault(DAMAGED);
}

export interface VerifiedArchive {
  /** The folder inside the archive with update.sh, '' for its root. */
  folder: string;
  unpackedBytes: number;
}

/**
 * Checks every entry of an archive of `packedSize` bytes, given as unpacked bytes; throws a TarFault for the first refused
 * one.
 */
export async function verifyArchive(unpacked: AsyncIterable<Uint8Array>, packedSize: number): Promise<VerifiedArchive> {
  const check = new TarCheck();
  let unpackedBytes = 0;
  const counted = async function* () {
    for await (const piece of unpacked) {
      unpackedBytes += piece.length;
      yield piece;
    }
  };
  try {
    for await (const entry of tarEntries(counted(), { maxBytes: mostUnpacked(packedSize) })) {
      const { refusal } = check.add(entry);
      if (refusal) throw refused(refusal);
    }
  } catch (cause) {
    // Node's zlib reports invalid compressed data with these codes.
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_'))
      throw new TarFault(DAMAGED, { cause });
    throw cause;
  }
  for (const refusal of check.entriesBelowNonFolders()) throw refused(refusal);
  const update = check.update();
  if ('folder' in update) return { folder: update.folder, unpackedBytes };
  throw refused(update);
}
