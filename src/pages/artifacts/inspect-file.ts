// Everything that is found out about a chosen file before it is sent. The bytes are read once and kept: what was checked
// is what is uploaded, even when the file changes on the disk meanwhile.
import { ARTIFACT_BYTES_LIMIT } from '#/contract/artifacts.ts';
import { formatBytes } from '#/ui/format.ts';
import { checkArchive } from './archive-check.ts';
import type { Finding } from './finding.ts';
import { guessType } from './guess.ts';
import type { ArtifactType } from './guess.ts';
import { SCRIPT_HEAD, checkScript, isGzip, otherArchive } from './script-check.ts';

/** A file that a person chose. */
export interface ChosenFile {
  name: string;
  size: number;
  /** Empty where the file is too large to be uploaded anyway. */
  bytes: Uint8Array<ArrayBuffer>;
  type: ArtifactType;
}

/** Reads a chosen file into memory. Raises an error that says what is wrong when it cannot be read. */
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
    throw new Error(`${file.name} cannot be read. If it is a folder, pack it first: tar -czf name.tar.gz -C folder .`);
  }
}

const sizeError = (size: number): Finding | undefined => {
  if (size === 0) return { level: 'error', text: 'The file is empty', mend: 'Choose another file.' };
  if (size < ARTIFACT_BYTES_LIMIT) return undefined;
  return {
    level: 'error',
    text: `The file has ${formatBytes(size)}, but an artifact must be smaller than ${formatBytes(ARTIFACT_BYTES_LIMIT)}`,
    mend: 'Leave out what devices do not need, or let update.sh download the large part.',
  };
};

/** How much is given to the inflater at a time: what one piece may unpack to (1,000-fold at worst) is held in memory. */
const PIECE = 16 * 1024;
/** Milliseconds after which the page gets a turn. */
const TURN = 12;

/** The bytes piece by piece, pausing now and then so that the page stays alive. */
function pieces(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  let turn = performance.now();
  return new ReadableStream({
    async pull(controller) {
      if (performance.now() - turn > TURN) {
        await new Promise((resolve) => setTimeout(resolve));
        turn = performance.now();
      }
      signal.throwIfAborted();
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + PIECE));
      at += PIECE;
    },
  });
}

async function* unpacked(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // By hand: not every browser can iterate a stream, and the rest of a refused archive must not be unpacked.
  const reader = pieces(bytes, signal).pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function inspectTarball({ name, bytes }: ChosenFile, signal: AbortSignal): Promise<Finding[]> {
  if (isGzip(bytes)) return checkArchive(unpacked(bytes, signal), formatBytes);
  const other = otherArchive(bytes);
  return [
    {
      level: 'error',
      text: other
        ? `${name} is a ${other} file, not a tar.gz`
        : `${name} is not a tar.gz: it does not begin as gzip data does`,
      mend: other
        ? 'Pack it again: tar -czf name.tar.gz -C folder .'
        : 'Pack it with tar -czf, or choose the type script for a single file.',
    },
  ];
}

function inspectScript({ name, bytes }: ChosenFile): Finding[] {
  const archive = isGzip(bytes) ? 'gzip' : otherArchive(bytes);
  if (!archive) return checkScript(name, bytes.subarray(0, SCRIPT_HEAD));
  return [
    {
      level: 'warning',
      text: `${name} is a ${archive} file, which nothing unpacks when its type is script`,
      mend:
        archive === 'gzip' ? 'Choose the type tar.gz to have it unpacked.' : 'Pack it as a tar.gz with an update.sh.',
    },
  ];
}

/** Checks a file as what it is to be uploaded as. */
export async function inspect(file: ChosenFile, type: ArtifactType, signal: AbortSignal): Promise<Finding[]> {
  const size = sizeError(file.size);
  if (size) return [size];
  const findings = type === 'tar.gz' ? await inspectTarball(file, signal) : inspectScript(file);
  signal.throwIfAborted();
  return findings;
}

/** The SHA-256 in hexadecimal digits; undefined on plain http, where browsers offer no way to work it out. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  // Typed as always there, which it is not outside secure contexts.
  const { subtle }: { subtle?: SubtleCrypto } = crypto;
  if (!subtle || bytes.length === 0) return undefined;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
