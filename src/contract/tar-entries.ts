// Reads the entries of a tar archive as a stream: old v7, POSIX ustar with prefixes, pax, GNU long names. Memory holds only
// one chunk, one header and the beginnings of a few requested files. The archive is refused wherever implementations of tar
// disagree: a lone empty block, a link with contents, a file with the target of a link, two long names for one entry.
// Browser, service and agent all use this reader.

const BLOCK = 512;
/** The most bytes in one long name or one set of extended headers. */
const MAX_METADATA = 1024 * 1024;

/** What is wrong with an archive; the message completes "The archive …". */
export class TarFault extends Error {
  override readonly name = 'TarFault';
}

export type TarKind = 'file' | 'hard link' | 'symbolic link' | 'folder' | 'device' | 'other';

/** One entry. Names have one character for each byte, so that different names never compare as equal; see `readable`. */
export interface TarEntry {
  kind: TarKind;
  path: string;
  target: string;
  mode: number;
  size: number;
  /** The beginning of the contents, as long as `keep` requested. */
  head: Uint8Array;
}

interface Limits {
  /** An archive with more unpacked bytes is refused. */
  maxBytes: number;
  /** How many bytes of a file's contents to keep. */
  keep?: (path: string) => number;
  /** Receives all contents of a file; called before the entry is yielded. */
  copy?: (entry: Omit<TarEntry, 'head'>, contents: AsyncIterable<Uint8Array>) => Promise<void>;
}

const binaryText = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

/** The bytes of a name that has one character for each. */
export const nameBytes = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(name, (character) => character.charCodeAt(0));

// Control and format characters, which are invisible or affect the text around them.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const codeOf = (character: string) =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/** The text with invisible characters escaped, shortened to one line. */
export function escapeInvisible(text: string, most = 200): string {
  const plain = text.slice(0, 2 * most).replace(INVISIBLE, codeOf);
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/** The name of an entry for display. */
export const readable = (name: string): string => escapeInvisible(new TextDecoder().decode(nameBytes(name)));

/** Reads exact numbers of bytes from chunks of any size. */
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #most: number;
  #chunk = new Uint8Array(0);
  /** The number of unpacked bytes so far. */
  total = 0;

  constructor(source: AsyncIterable<Uint8Array>, most: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#most = most;
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done) return false;
    this.#chunk = next.value as Uint8Array<ArrayBuffer>;
    this.total += this.#chunk.length;
    this.#expect(0);
    return true;
  }

  /** Checks the declared size of an entry before any of it is unpacked. */
  #expect(count: number): void {
    if (this.total - this.#chunk.length + count <= this.#most && this.total <= this.#most) return;
    throw new TarFault(`unpacks to more than ${this.#most / 1024 / 1024} MB, more than a device may be asked to hold`);
  }

  /** The next `count` bytes; undefined if the archive ends exactly here. */
  async take(count: number): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(count);
    for (let have = 0; have < count;) {
      if (this.#chunk.length === 0 && !(await this.#more())) {
        if (have === 0) return undefined;
        throw cutOff();
      }
      const part = this.#chunk.subarray(0, count - have);
      taken.set(part, have);
      this.#chunk = this.#chunk.subarray(part.length);
      have += part.length;
    }
    return taken;
  }

  async skip(count: number): Promise<void> {
    this.#expect(count);
    for (let left = count; left > 0;) {
      if (this.#chunk.length === 0 && !(await this.#more())) throw cutOff();
      const part = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(part);
      left -= part;
    }
  }

  /** The next `count` bytes, in parts. */
  async *parts(count: number): AsyncGenerator<Uint8Array, void> {
    this.#expect(count);
    for (let left = count; left > 0;) {
      if (this.#chunk.length === 0 && !(await this.#more())) throw cutOff();
      const part = this.#chunk.subarray(0, left);
      this.#chunk = this.#chunk.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** Reads to the end, so that the checksum after the compressed data is verified. */
  async drain(): Promise<void> {
    while (await this.#more());
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const cutOff = () => new TarFault('ends in the middle of an entry: it is cut off');
const damaged = () => new TarFault('has a damaged header inside');

const cString = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0);
  return binaryText(end === -1 ? bytes : bytes.subarray(0, end));
};

/** A number in a header: octal digits, or GNU's base 256 for large ones. */
function numberOf(bytes: Uint8Array): number {
  if (bytes[0] === 0x80) {
    let value = 0;
    for (const byte of bytes.subarray(1)) value = value * 256 + byte;
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }
  const digits = cString(bytes).replace(/^ +| +$/g, '');
  if (!/^[0-7]*$/.test(digits)) throw damaged();
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function hasGoodChecksum(header: Uint8Array): boolean {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum === numberOf(header.subarray(148, 156));
}

/** The records "<length> <key>=<value>\n" of an extended header (POSIX pax). */
function extendedHeader(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? '' : binaryText(bytes.subarray(at, space));
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,7}$/.test(digits) || end > bytes.length || end <= space + 1 || bytes[end - 1] !== 0x0a)
      throw damaged();
    const record = binaryText(bytes.subarray(space + 1, end - 1));
    const equals = record.indexOf('=');
    if (equals < 1) throw damaged();
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

const KINDS = new Map(
  Object.entries<TarKind>({
    '\0': 'file',
    '0': 'file',
    '7': 'file',
    '1': 'hard link',
    '2': 'symbolic link',
    '3': 'device',
    '4': 'device',
    '5': 'folder',
    '6': 'device',
  }),
);
// bsdtar packs sparse unless it is told not to.
const sparse = () =>
  new TarFault(
    'holds a sparse file: pack it without --sparse; with the tar of macOS, FreeBSD or Windows (bsdtar), with --no-read-sparse',
  );

/** What the headers before an entry say about it. */
interface Announced {
  path?: string;
  target?: string;
  extended?: Map<string, string>;
}

/** Reads a header that describes the next entry (GNU long names, pax) into `about`. */
async function readAnnouncement(bytes: Bytes, type: string, size: number, about: Announced): Promise<void> {
  if (size > MAX_METADATA) throw damaged();
  const body = size === 0 ? new Uint8Array(0) : await bytes.take(size);
  if (!body) throw cutOff();
  await bytes.skip((BLOCK - (size % BLOCK)) % BLOCK);
  if (type === 'L' && about.path === undefined) about.path = cString(body);
  else if (type === 'K' && about.target === undefined) about.target = cString(body);
  else if (type === 'x' && !about.extended) about.extended = extendedHeader(body);
  else if (type === 'g') {
    // git writes a comment this way; programs disagree about a global header that changes entries.
    for (const key of extendedHeader(body).keys()) if (key !== 'comment') throw damaged();
  } else throw damaged();
}

function entryOf(header: Uint8Array, about: Announced): Omit<TarEntry, 'head'> {
  const { extended } = about;
  if (extended && (about.path !== undefined || about.target !== undefined)) throw damaged();
  for (const key of extended?.keys() ?? []) if (key.startsWith('GNU.sparse')) throw sparse();
  // An empty record cancels an earlier one, which not every reader supports.
  for (const key of ['path', 'linkpath', 'size']) if (extended?.get(key) === '') throw damaged();
  const magic = binaryText(header.subarray(257, 263));
  const prefix = magic === 'ustar\0' ? cString(header.subarray(345, 500)) : '';
  const name = cString(header.subarray(0, 100));
  const path = extended?.get('path') ?? about.path ?? (prefix ? `${prefix}/${name}` : name);
  const target = extended?.get('linkpath') ?? about.target ?? cString(header.subarray(157, 257));
  const declaredSize = extended?.get('size');
  if (declaredSize !== undefined && !/^\d{1,15}$/.test(declaredSize)) throw damaged();
  const size = declaredSize === undefined ? numberOf(header.subarray(124, 136)) : Number(declaredSize);
  if (path.includes('\0') || target.includes('\0')) throw damaged();
  const type = String.fromCharCode(header[156] ?? 0);
  if (type === 'S') throw sparse();
  const declared = KINDS.get(type) ?? 'other';
  // The tar of Unix v7 has no type for folders. In later formats BusyBox takes a file for a file, whatever its name.
  const kind = type === '\0' && !magic.startsWith('ustar') && path.endsWith('/') ? 'folder' : declared;
  if (size > 0 && kind !== 'file' && kind !== 'other') throw damaged();
  // BusyBox takes anything with a target for a link.
  if (target !== '' && kind !== 'hard link' && kind !== 'symbolic link') throw damaged();
  return { kind, path, target, mode: numberOf(header.subarray(100, 108)), size };
}

/** The entries of a tar archive, given as unpacked bytes. Returns their total size. */
export async function* tarEntries(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, keep = () => 0, copy }: Limits,
): AsyncGenerator<TarEntry, number> {
  const bytes = new Bytes(source, maxBytes);
  try {
    let about: Announced = {};
    for (let empty = 0; empty < 2;) {
      const header = await bytes.take(BLOCK);
      if (!header) {
        if (Object.keys(about).length > 0) throw damaged();
        break;
      }
      if (header.every((byte) => byte === 0)) {
        empty += 1;
        continue;
      }
      if (empty > 0 || !hasGoodChecksum(header)) throw damaged();
      const type = String.fromCharCode(header[156] ?? 0);
      if ('LKxg'.includes(type)) {
        await readAnnouncement(bytes, type, numberOf(header.subarray(124, 136)), about);
        continue;
      }
      const entry = entryOf(header, about);
      about = {};
      const wanted = entry.kind === 'file' ? Math.min(entry.size, keep(entry.path)) : 0;
      const head = wanted > 0 ? await bytes.take(wanted) : new Uint8Array(0);
      if (!head) throw cutOff();
      const padding = (BLOCK - (entry.size % BLOCK)) % BLOCK;
      if (copy && entry.kind === 'file') {
        await copy(entry, bytes.parts(entry.size - wanted));
        await bytes.skip(padding);
      } else await bytes.skip(entry.size - wanted + padding);
      yield { ...entry, head };
    }
    await bytes.drain();
    return bytes.total;
  } finally {
    await bytes.close();
  }
}
