// Whether a tar.gz would work on a device, checked before it is uploaded: the rules of the contract, which the service
// applies too, and warnings about what they allow but would cause trouble on the device.
import { mostUnpacked, TarCheck, type TarRefusal } from '#/contract/tar-check.ts';
import { nameBytes, readable, tarEntries, TarFault, type TarEntry } from '#/contract/tar-entries.ts';
import { counted, formatCount } from '#/lib/format.ts';
import type { TreeEntry } from './archive-tree.ts';
import { shellPath, type Finding } from './finding.ts';
import { SCRIPT_HEAD, checkScript } from './script-check.ts';

/** Errors listed one by one; the others are counted. */
const MOST_LISTED = 5;
const EXECUTABLE = 0o111;
/** What the owner of a folder needs to put something into it. */
const WRITABLE = 0o300;
/** From here on a finding names how much room a device needs. */
const MUCH_UNPACKED = 100 * 1024 * 1024;
/** Text seldom packs to less than a twentieth; a bomb does. */
const MUCH_RATIO = 100;
const WORTH_A_RATIO = 8 * 1024 * 1024;

export interface CheckedArchive {
  findings: Finding[];
  entries: TreeEntry[];
  /** How the update.sh that would run begins. */
  update: Uint8Array | undefined;
}

const errorOf = ({ text, fix }: TarRefusal): Finding => ({ level: 'error', text: `The archive ${text}`, fix });

const isUpdate = (path: string) => /^(?:\.?\/+)*(?:[^/]+\/+(?:\.\/+)*)?update\.sh$/.test(path);
const decoded = (name: string) => new TextDecoder().decode(nameBytes(name));
const hasUnseen = (path: string) => /‹U\+[0-9A-F]{4,6}›/.test(readable(path));
const isText = (path: string) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(nameBytes(path));
    return true;
  } catch {
    return false;
  }
};

function updateFindings(path: string, { mode, kind, head }: TarEntry): Finding[] {
  const where = path === 'update.sh' ? 'at the root' : `in ${readable(path.slice(0, -'/update.sh'.length))}/`;
  const findings: Finding[] = [{ level: 'ok', text: `update.sh is ${where}` }];
  if (kind !== 'file') return findings;
  if ((mode & EXECUTABLE) === 0)
    findings.push({
      level: 'warning',
      text: 'update.sh is not executable',
      fix: `Run: chmod +x ${shellPath(readable(path))}, then pack again (on Windows in WSL, whose tar keeps that bit).`,
    });
  return [...findings, ...checkScript('update.sh', head, 'update')];
}

/** The first folder that its owner may not write to, and into which something is unpacked after it. */
function lockedFolder(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const locked = new Map<string, TreeEntry>();
  for (const entry of entries.filter(({ refused }) => !refused)) {
    const { path, kind, mode } = entry;
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const above = locked.get(path.slice(0, slash));
      if (above) return above;
    }
    if (kind === 'folder' && (mode & WRITABLE) !== WRITABLE) locked.set(path, entry);
  }
  return undefined;
}

/** Warnings about an archive that no rule refuses. */
function remarks(
  entries: readonly TreeEntry[],
  names: readonly string[],
  packed: number,
  unpacked: number,
  format: Format,
) {
  const findings: Finding[] = [];
  const warn = (text: string, fix: string) => findings.push({ level: 'warning', text, fix });
  const unseen = names.filter(hasUnseen);
  if (unseen[0] !== undefined)
    warn(
      `${unseen.length === 1 ? 'A name contains' : `${formatCount(unseen.length)} names contain`} invisible characters: ${readable(unseen[0])}`,
      'Rename it unless that is intended: a name can look like another.',
    );
  const locked = lockedFolder(entries);
  if (locked)
    warn(
      `Its owner may not write to the folder ${readable(locked.path)}, which has something in it`,
      `BusyBox and toybox unpack that only as root. Run: chmod u+wx ${shellPath(readable(locked.path))}, then pack again.`,
    );
  if (names.some((name) => !isText(name)))
    warn('A name in the archive is not UTF-8', 'It is shown with � here; the device gets its bytes as they are.');
  if (names.some((name) => /(^|\/)\._[^/]*$/.test(name)))
    warn(
      'The archive contains macOS metadata files (._…), which devices do not need',
      'Pack with COPYFILE_DISABLE=1 tar -czf …',
    );
  if (unpacked > MUCH_UNPACKED || (unpacked > WORTH_A_RATIO && unpacked > packed * MUCH_RATIO))
    warn(
      `It unpacks to ${format(unpacked)}, ${formatCount(Math.round(unpacked / Math.max(1, packed)))} times its size`,
      'Each device needs that much room in its temporary folder.',
    );
  return findings;
}

type Format = (bytes: number) => string;

/** Judges an archive of so many bytes, given as unpacked bytes. `format` prints a number of bytes. */
export async function checkArchive(
  unpacked: AsyncIterable<Uint8Array>,
  packedSize: number,
  format: Format,
): Promise<CheckedArchive> {
  const check = new TarCheck();
  const updates = new Map<string, TarEntry>();
  const entries: TreeEntry[] = [];
  const names: string[] = [];
  const errors: Finding[] = [];
  const listed = () => {
    const more = errors.length - MOST_LISTED;
    return more > 0
      ? [...errors.slice(0, MOST_LISTED), { level: 'error' as const, text: `${more} more entries with this problem` }]
      : errors;
  };
  const keep = (path: string) => (isUpdate(path) ? SCRIPT_HEAD : 0);
  let size = 0;
  try {
    const reader = tarEntries(unpacked, { maxBytes: mostUnpacked(packedSize), keep });
    for (let next = await reader.next(); ; next = await reader.next()) {
      if (next.done) {
        size = next.value;
        break;
      }
      const entry = next.value;
      const { path, refusal } = check.add(entry);
      if (refusal) errors.push(errorOf(refusal));
      if (path === '' && !refusal) continue;
      names.push(entry.path);
      const { kind, mode, target } = entry;
      entries.push({
        path: decoded(refusal ? entry.path : path),
        kind,
        size: entry.size,
        mode,
        target: decoded(target),
        refused: refusal !== undefined,
      });
      // Several in folders are an error themselves, so only the first is checked.
      if (!refusal && kind !== 'folder' && isUpdate(path) && (path === 'update.sh' || updates.size === 0))
        updates.set(path, entry);
    }
  } catch (error) {
    const text =
      error instanceof TarFault
        ? `The archive ${error.message}`
        : 'The compressed data is damaged or cut off, or there is more behind it';
    const fault = { level: 'error', text, fix: 'Pack it again: tar -czf name.tar.gz -C folder .' } as const;
    return { findings: [...listed(), fault], entries, update: undefined };
  }
  for (const refusal of check.entriesBelowNonFolders()) errors.push(errorOf(refusal));
  const where = check.update();
  const [path, update] = [...updates].find(([at]) => at === 'update.sh') ?? [...updates][0] ?? [];
  const files = entries.filter(({ kind }) => kind !== 'folder').length;
  return {
    findings: [
      ...listed(),
      { level: 'ok', text: `${files === 1 ? 'One file' : counted(files, 'file')}, ${format(size)} unpacked` },
      ...('folder' in where ? (path !== undefined && update ? updateFindings(path, update) : []) : [errorOf(where)]),
      ...remarks(entries, names, packedSize, size, format),
    ],
    entries,
    update: 'folder' in where ? update?.head : undefined,
  };
}
