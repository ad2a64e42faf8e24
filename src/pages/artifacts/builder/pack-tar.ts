// Writes a tar.gz in which nothing depends on who packs when and where: entries in one fixed order, one time, one owner, two
// modes, and a gzip header without time and name. The same files give the same bytes in the same browser.

import { BLOCK, tarHeader } from '#/contract/tar-header.ts';

/** 1980: some programs warn about older times. */
const TIME = 315_532_800;
const utf8 = new TextEncoder();

const header = (fields: Omit<Parameters<typeof tarHeader>[0], 'time'>) => tarHeader({ ...fields, time: TIME });

/** Splits a long path into POSIX's two fields, of 155 and 100 bytes; undefined if that is not possible. */
function split(path: Uint8Array): { prefix: Uint8Array; name: Uint8Array } | undefined {
  for (let slash = path.indexOf(0x2f); slash !== -1 && slash <= 155; slash = path.indexOf(0x2f, slash + 1)) {
    const name = path.subarray(slash + 1);
    if (name.length > 0 && name.length <= 100) return { prefix: path.subarray(0, slash), name };
  }
  return undefined;
}

function paxRecord(path: Uint8Array): Uint8Array<ArrayBuffer> {
  const rest = ' path='.length + path.length + 1;
  let length = rest + 1;
  while (String(length).length + rest !== length) length += 1;
  const record = new Uint8Array(length);
  record.set(utf8.encode(`${length} path=`));
  record.set(path, length - 1 - path.length);
  record[length - 1] = 0x0a;
  return record;
}

function* entry(path: string, type: '0' | '5', mode: number, size: number): Generator<Uint8Array<ArrayBuffer>, void> {
  const name = utf8.encode(path);
  const parts = name.length <= 100 ? { name } : split(name);
  if (parts) {
    yield header({ ...parts, type, mode, size });
    return;
  }
  const record = paxRecord(name);
  yield header({ name: utf8.encode('PaxHeaders/path'), type: 'x', mode: 0o644, size: record.length });
  yield record;
  yield* padding(record.length);
  yield header({ name, type, mode, size });
}

function* padding(size: number): Generator<Uint8Array<ArrayBuffer>, void> {
  const over = size % BLOCK;
  if (over > 0) yield new Uint8Array(BLOCK - over);
}

export interface Source {
  path: string;
  runs: boolean;
  content: Blob;
}

/** Iterates a stream, which not every browser can do, and cancels it when the reader stops. */
export async function* streamed<Piece>(stream: ReadableStream<Piece>): AsyncGenerator<Piece, void> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The archive's bytes piece by piece: all files in one folder, each folder before its contents. */
async function* tarPieces(folder: string, sources: readonly Source[]): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const entries = new Map<string, Source | undefined>();
  for (const source of sources) {
    const parts = `${folder}/${source.path}`.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) entries.set(`${parts.slice(0, depth).join('/')}/`, undefined);
    entries.set(parts.join('/'), source);
  }
  for (const [path, source] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!source) {
      yield* entry(path, '5', 0o755, 0);
      continue;
    }
    const { content } = source;
    yield* entry(path, '0', source.runs ? 0o755 : 0o644, content.size);
    try {
      yield* streamed(content.stream());
    } catch {
      throw new Error(`${source.path} cannot be read: it was changed or removed meanwhile. Choose the files again.`);
    }
    yield* padding(content.size);
  }
  yield new Uint8Array(2 * BLOCK);
}

/** Bytes that are held in memory before they become a part of the result, which browsers keep on disk if it is large. */
const HELD = 16 * 1024 * 1024;
/** RFC 1952: no flags, no time, nothing about the level, an unknown system. Browsers differ in the last. */
const GZIP_HEADER = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/**
 * Packs files into one folder.
 * @param most bytes of the result that are kept; of the rest only the number is reported
 */
export async function packTar(
  folder: string,
  sources: readonly Source[],
  most: number,
): Promise<{ content: Blob | undefined; size: number }> {
  const pieces = tarPieces(folder, sources);
  const tar = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
  const parts: Blob[] = [];
  let held: Uint8Array<ArrayBuffer>[] = [];
  let heldSize = 0;
  let size = 0;
  for await (const piece of streamed(tar.pipeThrough(new CompressionStream('gzip')))) {
    size += piece.length;
    if (size > most) continue;
    held.push(piece);
    heldSize += piece.length;
    if (heldSize < HELD) continue;
    parts.push(new Blob(held));
    [held, heldSize] = [[], 0];
  }
  if (size > most) return { content: undefined, size };
  const packed = new Blob([...parts, ...held]);
  return { content: new Blob([GZIP_HEADER, packed.slice(GZIP_HEADER.length)]), size };
}
