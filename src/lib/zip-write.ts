// Writes a ZIP file in the browser (PKWARE's APPNOTE.TXT): deflated where the browser can, with Zip64 records where the
// plain ones are too small. What is compressed waits in blobs, which a browser may keep on disk.
import { crc32 } from './crc32.ts';

/** Text, as UTF-8, whole or in pieces. */
export type ZipContent = string | AsyncIterable<string>;

interface Entry {
  name: Uint8Array<ArrayBuffer>;
  crc: number;
  size: number;
  packed: number;
  method: 0 | 8;
  offset: number;
}

const UTF8 = 0x0800;
const MOST_16 = 0xffff;
const MOST_32 = 0xffffffff;
/** Shorter texts, in bytes, would only grow. */
const LEAST_PACKED = 64;
const encoder = new TextEncoder();

/** Little-endian numbers, each with its width in bytes. */
function record(...fields: [value: number, width: 2 | 4 | 8][]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [, width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return bytes;
}

/** Date and time as MS-DOS counts them, in two words. */
function dosTime(at: Date): [time: number, date: number] {
  const year = Math.min(127, Math.max(0, at.getFullYear() - 1980));
  return [
    (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    (year << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  ];
}

/** Whether this browser deflates without a zlib header, as a ZIP wants it; without, the entries are stored. */
function deflater(): CompressionStream | undefined {
  try {
    return new CompressionStream('deflate-raw');
  } catch {
    return undefined;
  }
}

export class ZipWriter {
  private readonly parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  private readonly entries: Entry[] = [];
  private offset = 0;
  private readonly stamp: [number, number];

  constructor(at: Date = new Date()) {
    this.stamp = dosTime(at);
  }

  /** Adds one file. One at a time: the next begins when this one is done. */
  async add(path: string, content: ZipContent): Promise<void> {
    let crc = 0;
    let size = 0;
    const measured = (text: string) => {
      const bytes = encoder.encode(text);
      crc = crc32(bytes, crc);
      size += bytes.length;
      return bytes;
    };
    async function* pieces() {
      if (typeof content === 'string') yield measured(content);
      else for await (const piece of content) yield measured(piece);
    }
    const short = typeof content === 'string' && content.length < LEAST_PACKED;
    const stream = short ? undefined : deflater();
    const data = short
      ? new Blob([measured(content)])
      : await new Response(stream ? streamOf(pieces()).pipeThrough(stream) : streamOf(pieces())).blob();
    const entry: Entry = {
      name: encoder.encode(path),
      crc,
      size,
      packed: data.size,
      method: stream ? 8 : 0,
      offset: this.offset,
    };
    this.entries.push(entry);
    this.put(
      record(
        [0x04034b50, 4],
        [20, 2],
        [UTF8, 2],
        [entry.method, 2],
        [this.stamp[0], 2],
        [this.stamp[1], 2],
        [crc, 4],
        [entry.packed, 4],
        [size, 4],
        [entry.name.length, 2],
        [0, 2],
      ),
    );
    this.put(entry.name);
    this.put(data);
  }

  /** All of it; nothing can be added after that. */
  finish(): Blob {
    const start = this.offset;
    for (const entry of this.entries) this.putCentral(entry);
    const length = this.offset - start;
    const count = this.entries.length;
    if (count >= MOST_16 || start >= MOST_32 || length >= MOST_32) {
      const at = this.offset;
      this.put(
        record(
          [0x06064b50, 4],
          [44, 8],
          [45, 2],
          [45, 2],
          [0, 4],
          [0, 4],
          [count, 8],
          [count, 8],
          [length, 8],
          [start, 8],
        ),
      );
      this.put(record([0x07064b50, 4], [0, 4], [at, 8], [1, 4]));
    }
    const shown = Math.min(count, MOST_16);
    this.put(
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
    );
    return new Blob(this.parts, { type: 'application/zip' });
  }

  /** Zip64 is only needed for offsets of entries: no single entry is near 4 GB. */
  private putCentral({ name, crc, size, packed, method, offset }: Entry): void {
    const far = offset >= MOST_32;
    const extra = far ? record([0x0001, 2], [8, 2], [offset, 8]) : new Uint8Array(0);
    this.put(
      record(
        [0x02014b50, 4],
        [far ? 45 : 20, 2],
        [far ? 45 : 20, 2],
        [UTF8, 2],
        [method, 2],
        [this.stamp[0], 2],
        [this.stamp[1], 2],
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
    );
    this.put(name);
    this.put(extra);
  }

  private put(part: Blob | Uint8Array<ArrayBuffer>): void {
    if (part instanceof Blob ? part.size === 0 : part.length === 0) return;
    this.parts.push(part);
    this.offset += part instanceof Blob ? part.size : part.length;
  }
}

/** Safari has no ReadableStream.from. */
function streamOf(pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
}
