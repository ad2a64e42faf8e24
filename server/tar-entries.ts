// Reads the headers of a tar archive as it streams past, keeping nothing of the contents. Written here because what an
// archive says must be judged before anybody unpacks it: where readers of tar are known to disagree (a lone empty
// block, a link with contents, two long names for one entry) the archive is refused instead of guessed at.

const BLOCK = 512;
/** Most bytes of one long name or one set of extended headers. */
const MOST_METADATA = 1024 * 1024;

/** What is wrong with an archive; reads as "file <message>". */
export class TarFault extends Error {
  override readonly name = 'TarFault';
}

/** One entry. Names are latin1 strings: one character for each byte, so that no two different names look equal. */
export interface TarEntry {
  kind: 'file' | 'hard link' | 'symbolic link' | 'folder' | 'device' | 'other';
  path: string;
  target: string;
  mode: number;
}

/** A latin1 name as a person reads it. */
export const shown = (name: string): string =>
  JSON.stringify(Buffer.from(name, 'latin1').toString('utf8').slice(0, 200));

/** Pulls exact numbers of bytes out of chunks of any size. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  readonly #most: number;
  #chunk: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(source: AsyncIterable<Buffer>, most: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#most = most;
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    this.#chunk = next.value;
    this.#total += this.#chunk.length;
    if (this.#total > this.#most)
      throw new TarFault(
        `unpacks to more than ${this.#most / 1024 / 1024} MiB, which is more than a device may be asked to hold`,
      );
    return true;
  }

  /** The next `count` bytes; undefined when the archive ends just here. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      if (this.#chunk.length === 0 && !(await this.#more())) {
        if (missing === count) return undefined;
        throw new TarFault('ends in the middle of an entry: the archive is cut off');
      }
      const part = this.#chunk.subarray(0, missing);
      parts.push(part);
      this.#chunk = this.#chunk.subarray(part.length);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    let left = count;
    while (left > 0) {
      if (this.#chunk.length === 0 && !(await this.#more()))
        throw new TarFault('ends in the middle of an entry: the archive is cut off');
      const part = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(part);
      left -= part;
    }
  }

  /** Reads to the end: only there does gzip's checksum tell whether all of it arrived whole. */
  async drain(): Promise<void> {
    while (await this.#more());
  }

  /** Ends the source, so that what it holds open is let go. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const cString = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
};

const damaged = () => new TarFault('is not a readable tar.gz: a header of the archive inside is damaged');

/** A number in a header: octal digits, or for large ones GNU's base 256. */
function numberOf(bytes: Buffer): number {
  const first = bytes[0] ?? 0;
  if (first === 0x80) {
    const value = Number(BigInt(`0x${bytes.subarray(1).toString('hex')}`));
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }
  const digits = cString(bytes).trim();
  if (!/^[0-7]*$/.test(digits)) throw damaged();
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function hasGoodChecksum(header: Buffer): boolean {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum === numberOf(header.subarray(148, 156));
}

/** The records "<length> <key>=<value>\n" of an extended header. */
function extendedHeader(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? '' : bytes.toString('latin1', at, space);
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,7}$/.test(digits) || end > bytes.length || end <= space + 1 || bytes[end - 1] !== 0x0a)
      throw damaged();
    const record = bytes.toString('latin1', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals < 1) throw damaged();
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

const KINDS: Record<string, TarEntry['kind']> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '3': 'device',
  '4': 'device',
  '5': 'folder',
  '6': 'device',
};

/** The entries of a tar archive that is handed in as unpacked bytes, of which it may have at most `mostBytes`. */
export async function* tarEntries(source: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source, mostBytes);
  try {
    let longPath: string | undefined;
    let longTarget: string | undefined;
    let extended: Map<string, string> | undefined;
    let empty = 0;
    for (;;) {
      const header = await bytes.take(BLOCK);
      if (!header) {
        if (longPath !== undefined || longTarget !== undefined || extended) throw damaged();
        return;
      }
      if (header.every((byte) => byte === 0)) {
        empty += 1;
        if (empty === 2) return await bytes.drain();
        continue;
      }
      if (empty > 0 || !hasGoodChecksum(header)) throw damaged();
      const type = String.fromCharCode(header[156] ?? 0);
      const said = numberOf(header.subarray(124, 136));

      if ('LKxg'.includes(type)) {
        if (said > MOST_METADATA) throw damaged();
        const body = (await bytes.take(said)) ?? Buffer.alloc(0);
        if (body.length !== said) throw damaged();
        await bytes.skip((BLOCK - (said % BLOCK)) % BLOCK);
        if (type === 'L' && longPath === undefined) longPath = cString(body);
        else if (type === 'K' && longTarget === undefined) longTarget = cString(body);
        else if (type === 'x' && !extended) extended = extendedHeader(body);
        else if (type === 'g') {
          // git writes a comment this way; anything that would change entries is not worth the doubt.
          for (const key of extendedHeader(body).keys()) if (key !== 'comment') throw damaged();
        } else throw damaged();
        continue;
      }

      for (const key of extended?.keys() ?? [])
        if (key.startsWith('GNU.sparse')) throw new TarFault('holds a sparse file: pack it without --sparse');
      if (extended && (longPath !== undefined || longTarget !== undefined)) throw damaged();
      const posix = header.toString('latin1', 257, 263) === 'ustar\0';
      const prefix = posix ? cString(header.subarray(345, 500)) : '';
      const name = cString(header.subarray(0, 100));
      const path = extended?.get('path') ?? longPath ?? (prefix ? `${prefix}/${name}` : name);
      const target = extended?.get('linkpath') ?? longTarget ?? cString(header.subarray(157, 257));
      const size = Number(extended?.get('size') ?? said);
      if (!Number.isSafeInteger(size) || size < 0 || path.includes('\0') || target.includes('\0')) throw damaged();

      const kind = KINDS[type] ?? 'other';
      const folder = kind === 'folder' || (kind === 'file' && path.endsWith('/'));
      if (size > 0 && (folder || kind !== 'file')) throw damaged();
      yield { kind: folder ? 'folder' : kind, path, target, mode: numberOf(header.subarray(100, 108)) };
      await bytes.skip(Math.ceil(size / BLOCK) * BLOCK);
      longPath = longTarget = extended = undefined;
    }
  } finally {
    await bytes.close();
  }
}
