// A ZIP file as a stream (PKWARE's APPNOTE.TXT), of any size, of which only a piece is in memory. Sizes and checksums
// follow each file's data; Zip64 records are written where the plain ones are too small.
import { crc32, createDeflateRaw } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface ZipFile {
  name: string;
  content: AsyncIterable<Uint8Array>;
}

interface Entry {
  name: Buffer;
  crc: number;
  size: number;
  packed: number;
  offset: number;
}

const VERSION = 45;
/** Bit 3: sizes follow the data; bit 11: names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const MOST_16 = 0xffff;
const MOST_32 = 0xffffffff;

/** Little-endian numbers, each with its width in bytes. */
function record(...fields: [value: number, width: 2 | 4 | 8][]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [, width]) => sum + width, 0));
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}

/** Date and time as MS-DOS counts them, in UTC. */
const dosTime = (at: Date): [[number, 2], [number, 2]] => [
  [(at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1), 2],
  [((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(), 2],
];

/** The bytes of the ZIP file. A file whose content fails ends it without its directory, so that it is no valid ZIP. */
export async function* zipStream(files: AsyncIterable<ZipFile>, at: Date): AsyncGenerator<Buffer> {
  const stamp = dosTime(at);
  const entries: Entry[] = [];
  let offset = 0;
  const sent = (bytes: Buffer) => {
    offset += bytes.length;
    return bytes;
  };
  for await (const { name, content } of files) {
    const entry: Entry = { name: Buffer.from(name), crc: 0, size: 0, packed: 0, offset };
    entries.push(entry);
    const length: [number, 2] = [entry.name.length, 2];
    yield sent(
      record(
        [0x04034b50, 4],
        [VERSION, 2],
        [FLAGS, 2],
        [DEFLATED, 2],
        ...stamp,
        [0, 4],
        [0, 4],
        [0, 4],
        length,
        [0, 2],
      ),
    );
    yield sent(entry.name);
    for await (const piece of deflated(measured(content, entry))) {
      entry.packed += piece.length;
      yield sent(piece);
    }
    // No single file is near 4 GB.
    yield sent(record([0x08074b50, 4], [entry.crc, 4], [entry.packed, 4], [entry.size, 4]));
  }
  const start = offset;
  for (const entry of entries) for (const bytes of centralRecord(entry, stamp)) yield sent(bytes);
  for (const bytes of endRecords(entries.length, start, offset)) yield bytes;
}

async function* measured(content: AsyncIterable<Uint8Array>, entry: Entry): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    yield bytes;
  }
}

async function* deflated(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw();
  const packing = pipeline(Readable.from(content), deflate);
  // Its reader gets the error.
  packing.catch(() => {});
  yield* deflate as AsyncIterable<Buffer>;
}

/** Zip64 only for what is beyond 4 GB. */
function centralRecord({ name, crc, size, packed, offset }: Entry, stamp: ReturnType<typeof dosTime>): Buffer[] {
  const extra = offset >= MOST_32 ? record([0x0001, 2], [8, 2], [offset, 8]) : Buffer.alloc(0);
  return [
    record(
      ...([[0x02014b50, 4], [VERSION, 2], [VERSION, 2], [FLAGS, 2], [DEFLATED, 2], ...stamp] as const).map(
        ([value, width]): [number, 2 | 4] => [value, width],
      ),
      [crc, 4],
      [packed, 4],
      [size, 4],
      [name.length, 2],
      [extra.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [Math.min(offset, MOST_32), 4],
    ),
    name,
    extra,
  ];
}

function endRecords(count: number, start: number, end: number): Buffer[] {
  const length = end - start;
  const isWide = count >= MOST_16 || start >= MOST_32 || length >= MOST_32;
  const wide = [
    record(
      [0x06064b50, 4],
      [44, 8],
      [VERSION, 2],
      [VERSION, 2],
      [0, 4],
      [0, 4],
      [count, 8],
      [count, 8],
      [length, 8],
      [start, 8],
    ),
    record([0x07064b50, 4], [0, 4], [end, 8], [1, 4]),
  ];
  const shown = Math.min(count, MOST_16);
  return [
    ...(isWide ? wide : []),
    record(
      [0x06054b50, 4],
      [0, 2],
      [0, 2],
      [shown, 2],
      [shown, 2],
      [Math.min(length, MOST_32), 4],
      [Math.min(start, MOST_32), 4],
      [0, 2],
    ),
  ];
}
