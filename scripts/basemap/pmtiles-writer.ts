// Writes a PMTiles archive (specification version 3, https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md).
// Equal tiles (open sea, above all) are stored once, and a run of them is one entry of the directory.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const headerBytes = 127;
/** A reader's first request is 16 KiB and must hold the header and the root directory. */
const rootLimit = 16_384 - headerBytes;
const entriesPerLeaf = 4096;
const gzip = 2;
const mvt = 1;

interface Entry {
  id: number;
  run: number;
  offset: number;
  length: number;
}

export interface ArchiveOptions {
  maxZoom: number;
  metadata: object;
}

/** Collects tiles in the order of their ids, then lays out the file. */
export class PmtilesWriter {
  readonly #entries: Entry[] = [];
  readonly #blobs: Uint8Array[] = [];
  readonly #known = new Map<string, { offset: number; length: number }>();
  #bytes = 0;

  /** Adds one uncompressed vector tile. Ids must grow. */
  add(id: number, tile: Uint8Array): void {
    const last = this.#entries.at(-1);
    if (last && id < last.id + last.run)
      throw new Error(`Tile ${id} comes after tile ${last.id}: add tiles by growing id.`);
    const place = this.#store(tile);
    if (last && last.offset === place.offset && last.id + last.run === id) last.run++;
    else this.#entries.push({ id, run: 1, ...place });
  }

  #store(tile: Uint8Array): { offset: number; length: number } {
    const key = createHash('sha256').update(tile).digest('base64');
    const known = this.#known.get(key);
    if (known) return known;
    const blob = gzipSync(tile, { level: 9 });
    const place = { offset: this.#bytes, length: blob.length };
    this.#known.set(key, place);
    this.#blobs.push(blob);
    this.#bytes += blob.length;
    return place;
  }

  /** The whole archive. */
  finish({ maxZoom, metadata }: ArchiveOptions): Uint8Array {
    const [root, leaves] = directories(this.#entries);
    const meta = gzipSync(JSON.stringify(metadata), { level: 9 });
    const header = new DataView(new ArrayBuffer(headerBytes));
    new Uint8Array(header.buffer).set(new TextEncoder().encode('PMTiles\x03'));
    let at = headerBytes;
    [root.length, meta.length, leaves.length, this.#bytes].forEach((length, i) => {
      header.setBigUint64(8 + i * 16, BigInt(at), true);
      header.setBigUint64(16 + i * 16, BigInt(length), true);
      at += length;
    });
    const addressed = this.#entries.reduce((sum, entry) => sum + entry.run, 0);
    [addressed, this.#entries.length, this.#blobs.length].forEach((count, i) =>
      header.setBigUint64(72 + i * 8, BigInt(count), true),
    );
    // clustered, compression of directories, compression of tiles, kind of tile, smallest and largest zoom
    [1, gzip, gzip, mvt, 0, maxZoom].forEach((value, i) => header.setUint8(96 + i, value));
    [-180, -85.05113, 180, 85.05113].forEach((degrees, i) =>
      header.setInt32(102 + i * 4, Math.round(degrees * 1e7), true),
    );
    header.setUint8(118, 2);
    header.setInt32(119, 10 * 1e7, true);
    header.setInt32(123, 25 * 1e7, true);
    return Buffer.concat([new Uint8Array(header.buffer), root, meta, leaves, ...this.#blobs]);
  }
}

function directories(entries: Entry[]): [root: Uint8Array, leaves: Uint8Array] {
  const root = directory(entries);
  if (root.length <= rootLimit) return [root, new Uint8Array(0)];
  const pointers: Entry[] = [];
  const leaves: Uint8Array[] = [];
  let offset = 0;
  for (let i = 0; i < entries.length; i += entriesPerLeaf) {
    const part = entries.slice(i, i + entriesPerLeaf);
    const leaf = directory(part);
    pointers.push({ id: part[0]?.id ?? 0, run: 0, offset, length: leaf.length });
    leaves.push(leaf);
    offset += leaf.length;
  }
  return [directory(pointers), Buffer.concat(leaves)];
}

/** A directory: the column of ids (as differences), of runs, of lengths, of offsets, each as variable-length integers. */
function directory(entries: Entry[]): Uint8Array {
  const out: number[] = [];
  varint(entries.length, out);
  entries.forEach((entry, i) => varint(entry.id - (entries[i - 1]?.id ?? 0), out));
  for (const entry of entries) varint(entry.run, out);
  for (const entry of entries) varint(entry.length, out);
  entries.forEach((entry, i) => {
    const before = entries[i - 1];
    varint(before && entry.offset === before.offset + before.length ? 0 : entry.offset + 1, out);
  });
  return gzipSync(Uint8Array.from(out), { level: 9 });
}

function varint(value: number, out: number[]): void {
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}

/** The id of a tile: its place on the Hilbert curve of its zoom, after all tiles of the zooms below. */
export function tileId(z: number, x: number, y: number): number {
  let id = (4 ** z - 1) / 3;
  let [px, py] = [x, y];
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const right = (px & side) > 0 ? 1 : 0;
    const lower = (py & side) > 0 ? 1 : 0;
    id += side * side * ((3 * right) ^ lower);
    [px, py] = [px & (side - 1), py & (side - 1)];
    if (lower === 0) {
      if (right === 1) [px, py] = [side - 1 - px, side - 1 - py];
      [px, py] = [py, px];
    }
  }
  return id;
}
