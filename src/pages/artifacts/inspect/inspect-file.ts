// Inspects a chosen file before it is sent. The bytes are read once and kept: what was checked is what is uploaded, even
// if the file changes on the disk meanwhile. Reading happens on the page,
// inspecting in the archive worker.
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { formatBytes } from '#/lib/format.ts';
import { checkArchive } from './archive-check.ts';
import { treeOf, type TreeRow } from './archive-tree.ts';
import type { Finding } from './finding.ts';
import { guessType, type ArtifactType } from './guess.ts';
import { SCRIPT_HEAD, checkScript, isGzip, otherArchive } from './script-check.ts';
import { sha256 } from './sha256.ts';
import { streamed } from '#/pages/artifacts/builder/pack-tar.ts';

export interface ChosenFile {
  name: string;
  size: number;
  /** Empty where the file is too large to be uploaded anyway. */
  bytes: Uint8Array<ArrayBuffer>;
  type: ArtifactType;
}

/** Reads a chosen file into memory. Raises an error with the reason when it cannot be read. */
export async function readChosen(file: File): Promise<ChosenFile> {
  try {
    const part = file.size < ARTIFACT_BYTES_LIMIT ? file : file.slice(0, SCRIPT_HEAD);
    const bytes = new Uint8Array(await part.arrayBuffer());
    const whole = part === file;
    return {
      name: file.name,
      size: whole ? bytes.length : file.size,
      bytes: whole ? bytes : new Uint8Array(0),
      type: guessType(file.name, bytes),
    };
  } catch {
    throw new Error(`${file.name} cannot be read. Choose it again.`);
  }
}

const LIMIT = formatBytes(ARTIFACT_BYTES_LIMIT);

const sizeFinding = (size: number): Finding => {
  if (size === 0) return { level: 'error', text: 'The file is empty', fix: 'Choose another file.' };
  if (size < ARTIFACT_BYTES_LIMIT) {
    const left = size < ARTIFACT_BYTES_LIMIT / 10 ? '' : `${formatBytes(ARTIFACT_BYTES_LIMIT - size)} `;
    return { level: 'ok', text: `${formatBytes(size)}, ${left}under the limit of ${LIMIT}` };
  }
  return {
    level: 'error',
    text: `The file is ${formatBytes(size)}, but an artifact must be smaller than ${LIMIT}`,
    fix: 'Leave out what devices do not need, or let update.sh download the large part.',
  };
};

/** Bytes decompressed at a time, because the output of one piece (up to 1,000 times as much) is held in memory. */
const PIECE = 16 * 1024;

async function* unpacked(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array> {
  let at = 0;
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + PIECE));
      at += PIECE;
    },
  });
  yield* streamed(pieces.pipeThrough(new DecompressionStream('gzip')));
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

async function inspectTarball({ name, bytes }: ChosenFile): Promise<Omit<Inspection, 'sha256'>> {
  if (isGzip(bytes)) {
    const { findings, entries, update } = await checkArchive(unpacked(bytes), bytes.length, formatBytes);
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

function inspectScript({ name, bytes }: ChosenFile): Omit<Inspection, 'sha256'> {
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

/** The SHA-256 in hexadecimal digits, also on plain http, where browsers have none. */
async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Typed as always there, which it is not outside secure contexts.
  const { subtle }: { subtle?: SubtleCrypto } = crypto;
  if (!subtle) return sha256(bytes);
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function inspect(file: ChosenFile): Promise<Inspection> {
  const size = sizeFinding(file.size);
  if (size.level === 'error') return { findings: [size], sha256: undefined };
  const inspection = file.type === 'tar.gz' ? await inspectTarball(file) : inspectScript(file);
  return { ...inspection, findings: [...inspection.findings, size], sha256: await sha256Of(file.bytes) };
}
