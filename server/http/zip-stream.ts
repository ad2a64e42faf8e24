// A ZIP file as a stream, of any size, of which only a piece is in memory: files are asked for as fast as the client reads.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as otherRequests } from 'node:timers/promises';
import { ZipFile as Zip } from 'yazl';

export interface ZipFile {
  name: string;
  content: AsyncIterable<Uint8Array>;
}

/** A smaller file is stored as it is: setting up a compressor would cost more than it saves. */
const STORED_BYTES = 4096;
/** A third of the processor time of the default level, for output that is only a little larger. */
const COMPRESSION_LEVEL = 1;

/** An entry of yazl, as far as `setAside` looks into it. */
interface Entry {
  state: number;
  doFileDataPump: (() => void) | null;
  utf8FileName: Buffer;
}
const WRITTEN = 3;

/**
 * The bytes of the ZIP file. A file whose content fails ends it without its directory, so that it is no valid ZIP.
 * Destroying the stream ends the iteration over the files.
 */
export function zipStream(files: AsyncIterable<ZipFile>, mtime: Date): Readable {
  const zip = new Zip();
  const out = zip.outputStream as Readable & { readonly writableNeedDrain: boolean };
  const closed = new AbortController();
  out.once('close', () => closed.abort());
  zip.on('error', (cause: Error) => out.destroy(cause));

  // yazl looks through all entries whenever it begins one, which is seconds of processor time for 30,000 files, and each
  // of them keeps its content. So until the end yazl has only those that are not written, and the others lose all but
  // what the directory at the end says of them.
  const list = zip as unknown as { entries: Entry[] };
  const written: Entry[] = [];
  const setAside = () => {
    for (let first; (first = list.entries[0]) && first.state === WRITTEN; list.entries.shift()) {
      first.doFileDataPump = null;
      // A name of its own: small buffers are parts of larger ones, which would remain with it.
      first.utf8FileName = Buffer.from(new Uint8Array(first.utf8FileName).buffer);
      written.push(first);
    }
  };

  const add = async ({ name, content }: ZipFile) => {
    setAside();
    const pieces = content[Symbol.asyncIterator]();
    const begin: Uint8Array[] = [];
    for (let bytes = 0; bytes < STORED_BYTES;) {
      const next = await pieces.next();
      if (next.done) return zip.addBuffer(Buffer.concat(begin), name, { mtime, compress: false });
      begin.push(next.value);
      bytes += next.value.length;
    }
    const rest = { [Symbol.asyncIterator]: () => pieces };
    const source = Readable.from(joined(begin, rest), { objectMode: false });
    const ended = once(source, 'close', { signal: closed.signal });
    closed.signal.addEventListener('abort', () => source.destroy(), { once: true });
    source.once('error', (cause) => zip.emit('error', cause));
    zip.addReadStream(source, name, { mtime, compressionLevel: COMPRESSION_LEVEL });
    await ended;
  };
  const addAll = async () => {
    for await (const file of files) {
      await add(file);
      // Whoever reads fast must not keep all others waiting.
      await otherRequests();
      if (out.writableNeedDrain) await once(out, 'drain', { signal: closed.signal });
      closed.signal.throwIfAborted();
    }
    list.entries = [...written, ...list.entries];
    zip.end();
  };
  addAll().catch((cause: unknown) => out.destroy(cause instanceof Error ? cause : new Error(String(cause))));
  return out;
}

async function* joined(begin: Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* begin;
  yield* rest;
}
