// Builds tar archives for tests byte by byte, so that they can contain what no honest program packs.

export interface TestEntry {
  path: string;
  type?: string;
  target?: string;
  mode?: number;
  body?: string | Uint8Array;
  /** Replaces the true length. */
  size?: number;
  prefix?: string;
  /** Replaces POSIX's magic, for example by '' for the tar of Unix v7. */
  magic?: string;
}

const BLOCK = 512;
const utf8 = new TextEncoder();

/** One header and its contents, padded to full blocks. */
export function tarEntry(entry: TestEntry): Uint8Array<ArrayBuffer> {
  const { path, type = '0', target = '', mode = 0o644, body = '', size, prefix = '', magic = 'ustar\x0000' } = entry;
  const bytes = typeof body === 'string' ? utf8.encode(body) : body;
  const block = new Uint8Array(BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK);
  const put = (text: string, at: number, most: number) => block.set(utf8.encode(text).subarray(0, most), at);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  put(path, 0, 100);
  put(octal(mode, 7), 100, 8);
  put(octal(size ?? bytes.length, 11), 124, 12);
  put(' '.repeat(8), 148, 8);
  put(type, 156, 1);
  put(target, 157, 100);
  put(magic, 257, 8);
  put(prefix, 345, 155);
  const sum = block.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  block.set(bytes, BLOCK);
  return block;
}

/** GNU tar's header for a name of more than 100 bytes: `L` for the entry's path, `K` for its link target. */
export const gnuLong = (type: 'L' | 'K', name: string): Uint8Array =>
  tarEntry({ path: '././@LongLink', type, body: `${name}\0` });

/** An extended (pax) header for the next entry. */
export function pax(records: Record<string, string>, type: 'x' | 'g' = 'x'): Uint8Array {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = utf8.encode(` ${key}=${value}\n`).length;
    let length = rest + 1;
    while (String(length).length + rest !== length) length += 1;
    return `${length} ${key}=${value}\n`;
  });
  return tarEntry({ path: 'PaxHeaders/x', type, body: lines.join('') });
}

/** A complete archive, with the two empty blocks at its end. */
export function tar(...parts: (TestEntry | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const blocks = parts.map((part) => (part instanceof Uint8Array ? part : tarEntry(part)));
  const archive = new Uint8Array(blocks.reduce((total, { length }) => total + length, 2 * BLOCK));
  let at = 0;
  for (const block of blocks) {
    archive.set(block, at);
    at += block.length;
  }
  return archive;
}

/** The bytes in chunks of an awkward size. */
export async function* inChunks(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The parts in sequence, as gzip data. */
export async function gzip(...parts: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  const waiting = [...parts];
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = waiting.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
  return new Uint8Array(await new Response(source.pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
}
