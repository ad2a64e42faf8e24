// Reads a ZIP file that a person chose: its own figures are trusted only as far as they are true. Names are compared,
// never used as paths, and no entry is inflated beyond the limit.
import { crc32 } from './crc32.ts';

export interface ZipEntry {
  name: string;
  size: number;
  packed: number;
  crc: number;
  method: number;
  offset: number;
}

/** What is wrong with a file that should be a ZIP, in words. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

const END = 22;
const MOST_ENTRIES = 1_000_000;
const MOST_DIRECTORY = 256 * 1024 * 1024;
const decoder = new TextDecoder();

const bytesOf = async (file: Blob, from: number, length: number): Promise<DataView> => {
  if (from < 0 || length < 0 || from + length > file.size) throw new ZipError('The file is cut off or damaged.');
  return new DataView(await file.slice(from, from + length).arrayBuffer());
};
const long = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/** Where the list of entries is, and how many it has. */
async function findDirectory(file: Blob): Promise<{ count: number; length: number; start: number }> {
  const from = Math.max(0, file.size - END - 0xffff);
  const tail = await bytesOf(file, from, file.size - from);
  let at = tail.byteLength - END;
  while (at >= 0 && tail.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) throw new ZipError('This is no ZIP file.');
  const plain = {
    count: tail.getUint16(at + 10, true),
    length: tail.getUint32(at + 12, true),
    start: tail.getUint32(at + 16, true),
  };
  if (plain.count !== 0xffff && plain.length !== 0xffffffff && plain.start !== 0xffffffff) return plain;
  if (at < 20 || tail.getUint32(at - 20, true) !== 0x07064b50) return plain;
  const wide = await bytesOf(file, long(tail, at - 12), 56);
  if (wide.getUint32(0, true) !== 0x06064b50) throw new ZipError('The file is damaged.');
  return { count: long(wide, 32), length: long(wide, 40), start: long(wide, 48) };
}

export async function readZipEntries(file: Blob): Promise<ZipEntry[]> {
  const { count, length, start } = await findDirectory(file);
  if (count > MOST_ENTRIES || length > MOST_DIRECTORY) throw new ZipError('The file has too many entries.');
  const view = await bytesOf(file, start, length);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let each = 0; each < count; each++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50)
      throw new ZipError('The file is damaged.');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > view.byteLength) throw new ZipError('The file is damaged.');
    let offset = view.getUint32(at + 42, true);
    // Our own writer has only the offset of an entry there.
    const extra = at + 46 + nameLength;
    if (offset === 0xffffffff && extraLength >= 12 && view.getUint16(extra, true) === 1) offset = long(view, extra + 4);
    entries.push({
      name: decoder.decode(new Uint8Array(view.buffer, at + 46, nameLength)),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset,
    });
    at = next;
  }
  return entries;
}

/** The text of an entry, of at most `most` bytes. */
export async function readZipText(file: Blob, entry: ZipEntry, most: number): Promise<string> {
  if (entry.size > most) throw new ZipError(`"${entry.name}" is larger than anything an archive has.`);
  const head = await bytesOf(file, entry.offset, 30);
  if (head.getUint32(0, true) !== 0x04034b50) throw new ZipError('The file is damaged.');
  const from = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(from, from + entry.packed);
  if (packed.size !== entry.packed) throw new ZipError('The file is cut off.');
  if (entry.method !== 0 && entry.method !== 8)
    throw new ZipError('The file is packed in a way that is not known here.');
  const plain =
    entry.method === 8 ? packed.stream().pipeThrough(new DecompressionStream('deflate-raw')) : packed.stream();
  const bytes = new Uint8Array(entry.size);
  let length = 0;
  try {
    for await (const piece of piecesOf(plain)) {
      // More than the entry claims: what follows may be without end.
      if (length + piece.length > entry.size) throw new ZipError('The file is damaged.');
      bytes.set(piece, length);
      length += piece.length;
    }
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError('The file is damaged.', { cause: error });
  }
  if (length !== entry.size || crc32(bytes) !== entry.crc) throw new ZipError('The file is damaged.');
  return decoder.decode(bytes);
}

/** Safari cannot iterate a stream. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
