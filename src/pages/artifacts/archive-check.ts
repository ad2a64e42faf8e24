// Whether a tar.gz would work on a device, judged before it is uploaded: update.sh where the generated Command looks for
// it, ready to run, and nothing that reaches outside the folder the archive is unpacked in. The service judges again.
import { shellWord } from './finding.ts';
import type { Finding } from './finding.ts';
import { SCRIPT_HEAD, checkScript } from './script-check.ts';
import { TarFault, readable, tarEntries } from './tar-entries.ts';
import type { TarEntry, TarKind } from './tar-entries.ts';

const MOST_UNPACKED = 512 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
/** Longer paths cannot be unpacked on Linux (PATH_MAX). */
const MOST_PATH = 4096;
/** Errors listed one by one; the others are counted. */
const MOST_LISTED = 5;
const SETUID_OR_SETGID = 0o6000;
const EXECUTABLE = 0o111;

const PLAIN = 'Pack only files, folders and links between them.';
const INSIDE = 'Pack the folder itself with relative paths: tar -czf name.tar.gz -C folder .';

interface Seen {
  kinds: Map<string, TarKind>;
  /** Those that may be the update.sh which runs, by path. */
  updates: Map<string, TarEntry>;
  files: number;
  appleFiles: boolean;
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');
const leadsOut = (path: string) => path.startsWith('/') || partsOf(path).includes('..');

/** As the service: a link may climb at its beginning only, and no higher than the archive's own folder. */
function linkLeadsOut(target: string, depth: number): boolean {
  const parts = partsOf(target);
  const first = parts.findIndex((part) => part !== '..');
  const up = first === -1 ? parts.length : first;
  return target.startsWith('/') || up > depth || parts.lastIndexOf('..') >= up;
}

/** What is wrong with one entry by itself or beside those before it. */
function faultOf(entry: TarEntry, parts: string[], { kinds }: Seen): Finding | undefined {
  const name = readable(entry.path);
  const error = (text: string, mend: string): Finding => ({ level: 'error', text, mend });
  if (leadsOut(entry.path)) return error(`${name} would be unpacked outside the archive's own folder`, INSIDE);
  if (entry.kind === 'device' || entry.kind === 'other')
    return error(`${name} is a device, a pipe or another special file`, PLAIN);
  if (parts.length === 0) return entry.kind === 'folder' ? undefined : error('One entry has no name', 'Pack it again.');
  if (entry.kind !== 'folder' && (entry.mode & SETUID_OR_SETGID) !== 0)
    return error(
      `${name} would run with another user's rights (setuid or setgid)`,
      `Run: chmod ug-s ${shellWord(name)}, then pack again.`,
    );
  if (entry.kind === 'symbolic link' && (entry.target === '' || linkLeadsOut(entry.target, parts.length - 1)))
    return error(
      `${name} is a link that leads out of the archive, to ${readable(entry.target) || 'nothing'}`,
      'Link to a file inside, with a relative path.',
    );
  if (entry.kind === 'hard link') {
    const target = kinds.get(partsOf(entry.target).join('/'));
    if (leadsOut(entry.target) || (target !== 'file' && target !== 'hard link'))
      return error(
        `${name} is a hard link to ${readable(entry.target)}, which is no file earlier in the archive`,
        'Pack with --hard-dereference.',
      );
  }
  const before = kinds.get(parts.join('/'));
  if (before !== undefined && (before !== entry.kind || entry.kind === 'symbolic link'))
    return error(
      `${name} is in the archive twice, not as the same kind of thing`,
      'Pack it again from a clean folder.',
    );
  return undefined;
}

/** Entries that would be unpacked through something that is no folder. */
function* passages({ kinds }: Seen): Generator<Finding> {
  for (const path of kinds.keys())
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const above = kinds.get(path.slice(0, slash));
      if (above === undefined || above === 'folder') continue;
      const text = `${readable(path)} would be unpacked through ${readable(path.slice(0, slash))}, which is a ${above}`;
      yield { level: 'error', text, mend: 'Pack it again from a clean folder.' };
    }
}

function updateFindings({ kinds, updates }: Seen): Finding[] {
  const inFolders = [...updates.keys()].filter((path) => path !== 'update.sh');
  if (!updates.has('update.sh') && inFolders.length !== 1) return [missingUpdate(kinds, inFolders)];
  const path = updates.has('update.sh') ? 'update.sh' : (inFolders[0] ?? '');
  const entry = updates.get(path);
  const where = path === 'update.sh' ? 'at the root' : `in ${readable(path.slice(0, -'/update.sh'.length))}/`;
  const findings: Finding[] = [{ level: 'ok', text: `update.sh is ${where}` }];
  if (entry?.kind !== 'file') return findings;
  if ((entry.mode & EXECUTABLE) === 0)
    findings.push({
      level: 'warning',
      text: 'update.sh is not executable',
      mend: `Run: chmod +x ${shellWord(readable(path))}, then pack again (on Windows in WSL, whose tar keeps that bit).`,
    });
  return [...findings, ...checkScript('update.sh', entry.head)];
}

function missingUpdate(kinds: Seen['kinds'], inFolders: string[]): Finding {
  if (inFolders.length > 1)
    return {
      level: 'error',
      text: `Several folders hold an update.sh: ${inFolders.slice(0, 3).map(readable).join(', ')}`,
      mend: 'Keep one of them, or put one update.sh at the root that calls the others.',
    };
  const paths = [...kinds].filter(([, kind]) => kind !== 'folder').map(([path]) => path);
  const deep = paths.find((path) => path.endsWith('/update.sh'));
  if (deep !== undefined)
    return {
      level: 'error',
      text: `update.sh lies too deep, at ${readable(deep)}`,
      mend: `It belongs at the root or in the one top folder: tar -czf name.tar.gz -C ${shellWord(readable(deep.slice(0, -'/update.sh'.length)))} .`,
    };
  const like = paths.find((path) => /(^|\/)update(\.sh)?(\.txt)?$/i.test(path));
  return {
    level: 'error',
    text:
      like === undefined
        ? 'There is no update.sh in the archive'
        : `There is no update.sh in the archive, only ${readable(like)}`,
    mend: 'Devices run update.sh: put one at the root, or in the one top folder.',
  };
}

async function readEntries(unpacked: AsyncIterable<Uint8Array>, seen: Seen, errors: Finding[]): Promise<number> {
  const isUpdate = (path: string) => /^([^/]+\/)?update\.sh$/.test(partsOf(path).join('/'));
  // A second update.sh in a folder is a fault of its own, so that only the first is looked into.
  const keep = (path: string) =>
    isUpdate(path) && (seen.updates.size === 0 || !path.includes('/update')) ? SCRIPT_HEAD : 0;
  const entries = tarEntries(unpacked, { mostBytes: MOST_UNPACKED, keep });
  for (;;) {
    const next = await entries.next();
    if (next.done) return next.value;
    const entry = next.value;
    if (seen.kinds.size >= MOST_ENTRIES)
      throw new TarFault(`holds more than ${MOST_ENTRIES.toLocaleString('en')} entries`);
    if (entry.path.length > MOST_PATH) throw new TarFault(`holds a path of more than ${MOST_PATH} characters`);
    const parts = partsOf(entry.path);
    const fault = faultOf(entry, parts, seen);
    if (fault) errors.push(fault);
    const path = parts.join('/');
    if (path === '') continue;
    seen.kinds.set(path, entry.kind);
    if (entry.kind !== 'folder') seen.files += 1;
    if (entry.kind !== 'folder' && isUpdate(path)) seen.updates.set(path, entry);
    seen.appleFiles ||= parts.at(-1)?.startsWith('._') ?? false;
  }
}

/** Judges an archive, given as unpacked bytes. `format` prints a number of bytes. */
export async function checkArchive(
  unpacked: AsyncIterable<Uint8Array>,
  format: (bytes: number) => string,
): Promise<Finding[]> {
  const seen: Seen = { kinds: new Map(), updates: new Map(), files: 0, appleFiles: false };
  const errors: Finding[] = [];
  const listed = () => {
    const more = errors.length - MOST_LISTED;
    return more > 0
      ? [...errors.slice(0, MOST_LISTED), { level: 'error' as const, text: `${more} more entries with such faults` }]
      : errors;
  };
  let size: number;
  try {
    size = await readEntries(unpacked, seen, errors);
  } catch (error) {
    const text =
      error instanceof TarFault
        ? `The archive ${error.message}`
        : 'The compressed data is damaged or cut off, or there is more behind it';
    return [...listed(), { level: 'error', text, mend: 'Pack it again: tar -czf name.tar.gz -C folder .' }];
  }
  errors.push(...passages(seen));
  const findings: Finding[] = [
    ...listed(),
    {
      level: 'ok',
      text: `${seen.files === 1 ? 'One file' : `${seen.files.toLocaleString()} files`}, ${format(size)} unpacked`,
    },
    ...updateFindings(seen),
  ];
  if (seen.appleFiles)
    findings.push({
      level: 'warning',
      text: 'The archive holds hidden files of macOS (._…), which are of no use on a device',
      mend: 'Pack with COPYFILE_DISABLE=1 tar -czf …',
    });
  return findings;
}
