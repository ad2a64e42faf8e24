// Inspects a chosen file before it is sent. The bytes of a small one are read once and kept: what was checked is what is
// uploaded, even if the file changes on the disk meanwhile. A large one is read in pieces each time; the browser fails to read
// it once it has changed. Inspecting happens in the archive worker.
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { formatBytes } from '#/lib/format.ts';
import { checkArchive } from './archive-check.ts';
import { treeOf, type TreeRow } from './archive-tree.ts';
import type { Finding } from './finding.ts';
import { gunzip } from './gunzip.ts';
import { guessType, type ArtifactType } from './guess.ts';
import { SCRIPT_HEAD, checkScript, isGzip, otherArchive } from './script-check.ts';
import { sha256 } from './sha256.ts';
import { streamed } from '#/pages/artifacts/builder/pack-tar.ts';

export interface ChosenFile {
  name: string;
  size: number;
  /** Of a small file its bytes in memory, of a large one the file itself. */
  content: Blob;
  type: ArtifactType;
}

/** Smaller files are kept in memory. */
const IN_MEMORY = ARTIFACT_BYTES_LIMIT;

const headOf = async (content: Blob) => new Uint8Array(await content.slice(0, SCRIPT_HEAD).arrayBuffer());

/** Reads a chosen file. Raises an error with the reason when it cannot be read. */
export async function readChosen(file: File): Promise<ChosenFile> {
  try {
    const content = file.size < IN_MEMORY ? new Blob([await file.arrayBuffer()]) : file;
    return { name: file.name, size: content.size, content, type: guessType(file.name, await headOf(content)) };
  } catch {
    throw new Error(`${file.name} cannot be read. Choose it again.`);
  }
}

const sizeFinding = (size: number, limit: number): Finding => {
  if (size === 0) return { level: 'error', text: 'The file is empty', fix: 'Choose another file.' };
  if (size < limit) {
    const left = size < limit / 10 ? '' : `${formatBytes(limit - size)} `;
    return { level: 'ok', text: `${formatBytes(size)}, ${left}under the limit of ${formatBytes(limit)}` };
  }
  return {
    level: 'error',
    text: `The file is ${formatBytes(size)}, but an artifact must be smaller than ${formatBytes(limit)}`,
    fix: 'Leave out what devices do not need, or let update.sh download the large part.',
  };
};

/** Bytes decompressed at a time, because the output of one piece (up to 1,000 times as much) is held in memory. */
const PIECE = 16 * 1024;

/** The file in pieces of this size at most. */
async function* piecesOf(content: Blob, most: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const read of streamed(content.stream()))
    for (let at = 0; at < read.length; at += most) yield read.subarray(at, at + most);
}

/** The beginning of the script that runs, to be read on the page. */
export interface ScriptText {
  name: string;
  text: string;
  /** There is more of it. */
  cut: boolean;
}

export interface Inspection {
  findings: Finding[];
  sha256: string | undefined;
  /** What an archive holds; undefined where it could not be read as one. */
  tree?: TreeRow[];
  script?: ScriptText;
}

const SHOWN = 8 * 1024;
function textOf(name: string, bytes: Uint8Array): ScriptText | undefined {
  if (bytes.length === 0 || bytes.includes(0)) return undefined;
  return { name, text: new TextDecoder().decode(bytes.subarray(0, SHOWN)), cut: bytes.length > SHOWN };
}

async function inspectTarball({ name, content }: ChosenFile): Promise<Omit<Inspection, 'sha256'>> {
  const bytes = await headOf(content);
  if (isGzip(bytes)) {
    const { findings, entries, update } = await checkArchive(
      gunzip(piecesOf(content, PIECE)),
      content.size,
      formatBytes,
    );
    const script = update && textOf('update.sh', update);
    return { findings, tree: treeOf(entries), ...(script && { script }) };
  }
  const other = otherArchive(bytes);
  const finding: Finding = {
    level: 'error',
    text: other
      ? `${name} is a ${other} file, not a tar.gz`
      : `${name} is not a tar.gz: it does not begin as gzip data does`,
    fix: other
      ? 'Pack it again: tar -czf name.tar.gz -C folder .'
      : 'Pack it with tar -czf, or choose the type script for a single file.',
  };
  return { findings: [finding] };
}

async function inspectScript({ name, content }: ChosenFile): Promise<Omit<Inspection, 'sha256'>> {
  const bytes = await headOf(content);
  const archive = isGzip(bytes) ? 'gzip' : otherArchive(bytes);
  if (!archive) {
    const script = textOf(name, bytes.subarray(0, SHOWN + 1));
    return { findings: checkScript(name, bytes.subarray(0, SCRIPT_HEAD)), ...(script && { script }) };
  }
  const finding: Finding = {
    level: 'warning',
    text: `${name} is a ${archive} file, which is not unpacked when its type is script`,
    fix: archive === 'gzip' ? 'Choose the type tar.gz to have it unpacked.' : 'Pack it as a tar.gz with an update.sh.',
  };
  return { findings: [finding] };
}

/** `limit`: an artifact must be smaller. */
export async function inspect(file: ChosenFile, limit: number): Promise<Inspection> {
  const size = sizeFinding(file.size, limit);
  if (size.level === 'error') return { findings: [size], sha256: undefined };
  const inspection = await (file.type === 'tar.gz' ? inspectTarball(file) : inspectScript(file));
  return {
    ...inspection,
    findings: [...inspection.findings, size],
    sha256: await sha256(streamed(file.content.stream())),
  };
}
