// The vectors of FIPS 180-4 and of NIST's CAVP, and every length around the block's edges beside the machine's own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from './sha256.ts';

/** The bytes in pieces of this length. */
async function* inPieces(bytes: Uint8Array, length = bytes.length) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
const of = (text: string) => sha256(inPieces(new TextEncoder().encode(text)));

test('known vectors', async () => {
  assert.equal(await of(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(await of('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(
    await of('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  );
  assert.equal(await of('a'.repeat(1_000_000)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  assert.equal(
    await sha256(inPieces(Uint8Array.of(0xbd))),
    '68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b',
  );
});

test('each length to three blocks, in pieces of every length, also where the bytes are part of others', async () => {
  const bytes = Uint8Array.from({ length: 200 }, (_, index) => (index * 37) % 256);
  for (let length = 0; length < 193; length += 1) {
    const part = bytes.subarray(3, 3 + length);
    const expected = createHash('sha256').update(part).digest('hex');
    for (const each of [1, 7, 63, 64, 65, 200])
      assert.equal(await sha256(inPieces(part, each)), expected, `${length} in pieces of ${each}`);
  }
});
