// Makes tar archives for tests, byte by byte, so that they can hold what no honest tool would pack.
import { gzipSync } from 'node:zlib';

export interface TestEntry {
  path: string;
  type?: string;
  target?: string;
  mode?: number;
  body?: string | Buffer;
  /** Written instead of the true length. */
  size?: number;
  magic?: string;
  prefix?: string;
}

const BLOCK = 512;
const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** One header and its contents, filled up to whole blocks. */
export function tarEntry({
  path,
  type = '0',
  target = '',
  mode = 0o644,
  body = '',
  size,
  magic = 'ustar\x0000',
  prefix = '',
}: TestEntry): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100, 'utf8');
  header.write(octal(mode, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  header.write(octal(size ?? bytes.length, 12), 124, 'latin1');
  header.write(octal(0, 12), 136, 'latin1');
  header.write(' '.repeat(8), 148, 'latin1');
  header.write(type, 156, 1, 'latin1');
  header.write(target, 157, 100, 'utf8');
  header.write(magic, 257, 'latin1');
  header.write(prefix, 345, 155, 'utf8');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** The records of an extended (pax) header. */
export function paxBody(records: Record<string, string>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length += 1;
    return `${length} ${key}=${value}\n`;
  });
  return Buffer.from(lines.join(''));
}

/** A whole tar.gz of the entries (or of raw blocks). */
export function tarball(...entries: (TestEntry | Buffer)[]): Buffer {
  const blocks = entries.map((entry) => (Buffer.isBuffer(entry) ? entry : tarEntry(entry)));
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}
