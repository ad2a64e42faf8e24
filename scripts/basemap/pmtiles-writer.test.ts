// Archives are read back with the very reader the dashboard uses.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { PMTiles, zxyToTileId } from 'pmtiles';

import { PmtilesWriter, tileId } from './pmtiles-writer.ts';

function open(archive: Uint8Array): PMTiles {
  const getBytes = (offset: number, length: number): Promise<{ data: ArrayBuffer }> =>
    Promise.resolve({ data: Uint8Array.from(archive.subarray(offset, offset + length)).buffer });
  return new PMTiles({ getKey: () => 'archive', getBytes });
}

async function read(archive: PMTiles, z: number, x: number, y: number): Promise<string | undefined> {
  const tile = await archive.getZxy(z, x, y);
  return tile && new TextDecoder().decode(tile.data);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('numbers tiles as the reader does', () => {
  for (let z = 0; z <= 5; z++) {
    for (let x = 0; x < 2 ** z; x++) {
      for (let y = 0; y < 2 ** z; y++) assert.equal(tileId(z, x, y), zxyToTileId(z, x, y), `${z}/${x}/${y}`);
    }
  }
});

test('a tile reads back as written, a missing one as nothing', async () => {
  const writer = new PmtilesWriter();
  writer.add(tileId(0, 0, 0), bytes('world'));
  writer.add(tileId(1, 1, 0), bytes('north-east'));
  const archive = open(writer.finish({ maxZoom: 1, metadata: { name: 'Test' } }));
  assert.equal(await read(archive, 0, 0, 0), 'world');
  assert.equal(await read(archive, 1, 1, 0), 'north-east');
  assert.equal(await read(archive, 1, 0, 0), undefined);
  assert.deepEqual(await archive.getMetadata(), { name: 'Test' });
});

test('equal tiles are stored once, and a run of them is one entry', async () => {
  const writer = new PmtilesWriter();
  for (let id = 0; id < 5; id++) writer.add(id, bytes('sea'));
  const archive = open(writer.finish({ maxZoom: 1, metadata: {} }));
  const header = await archive.getHeader();
  assert.deepEqual([header.numAddressedTiles, header.numTileEntries, header.numTileContents], [5, 1, 1]);
  assert.equal(await read(archive, 1, 0, 1), 'sea');
});

test('a directory too large for the first request moves to leaves', async () => {
  // 300 different tiles in no order: hardly a run in the directory, and offsets that do not compress
  const content = (id: number): string =>
    `tile ${createHash('sha256').update(String(id)).digest().readUInt16LE() % 300}`;
  const writer = new PmtilesWriter();
  for (let id = 0; id < (4 ** 8 - 1) / 3; id++) writer.add(id, bytes(content(id)));
  const archive = open(writer.finish({ maxZoom: 7, metadata: {} }));
  const header = await archive.getHeader();
  assert.ok(header.rootDirectoryLength <= 16_384 - 127);
  assert.ok((header.leafDirectoryLength ?? 0) > 16_384);
  for (const [z, x, y] of [
    [0, 0, 0],
    [5, 17, 30],
    [7, 127, 127],
  ] as const) {
    assert.equal(await read(archive, z, x, y), content(tileId(z, x, y)));
  }
});

test('the same tiles give the same bytes', () => {
  const build = (): Uint8Array => {
    const writer = new PmtilesWriter();
    writer.add(0, bytes('a'));
    writer.add(3, bytes('b'));
    return writer.finish({ maxZoom: 1, metadata: { name: 'x' } });
  };
  assert.deepEqual(build(), build());
});

test('refuses tiles out of order, which a reader would not find', () => {
  const writer = new PmtilesWriter();
  writer.add(4, bytes('a'));
  assert.throws(() => writer.add(3, bytes('b')), /growing id/);
});
