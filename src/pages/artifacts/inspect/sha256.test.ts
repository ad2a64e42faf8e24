// The vectors of FIPS 180-4 and of NIST's CAVP, and every length around the block's edges beside the machine's own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from './sha256.ts';

const of = (text: string) => sha256(new TextEncoder().encode(text));

test('known vectors', () => {
  assert.equal(of(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(of('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(
    of('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  );
  assert.equal(of('a'.repeat(1_000_000)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  assert.equal(sha256(Uint8Array.of(0xbd)), '68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b');
});

test('each length to three blocks, also where the bytes are part of others', () => {
  const bytes = Uint8Array.from({ length: 200 }, (_, index) => (index * 37) % 256);
  for (let length = 0; length < 193; length += 1) {
    const part = bytes.subarray(3, 3 + length);
    assert.equal(sha256(part), createHash('sha256').update(part).digest('hex'), String(length));
  }
});
