// SHA-256 (FIPS 180-4) of bytes that arrive in pieces: browsers offer only that of bytes that are all in memory, and on plain
// http none. Used in the worker.

/** The first `count` primes' roots, as the standard derives its constants: 32 bits of the fraction. */
function roots(count: number, root: (value: number) => number): Uint32Array {
  const found: number[] = [];
  for (let value = 2; found.length < count; value += 1) {
    let prime = true;
    for (let by = 2; by * by <= value; by += 1) prime &&= value % by !== 0;
    if (prime) found.push((root(value) % 1) * 2 ** 32);
  }
  return Uint32Array.from(found);
}
const K = roots(64, Math.cbrt);
const START = roots(8, Math.sqrt);
const BLOCK = 64;

function mix(state: Uint32Array, words: Uint32Array, view: DataView, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(at + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const [w15, w2] = [words[t - 15] ?? 0, words[t - 2] ?? 0];
    const s0 = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3);
    const s1 = ((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10);
    words[t] = (words[t - 16] ?? 0) + s0 + (words[t - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] ?? 0) + (words[t] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    // One by one: a swap of eight through an array takes four times as long.
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

/** The digest of bytes that arrive in pieces, in hexadecimal digits. */
export async function sha256(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const state = START.slice();
  const words = new Uint32Array(64);
  let rest = new Uint8Array(0);
  let length = 0;
  const mixAll = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
    const whole = bytes.length - (bytes.length % BLOCK);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < whole; at += BLOCK) mix(state, words, view, at);
    return bytes.slice(whole);
  };
  for await (const piece of pieces) {
    length += piece.length;
    const missing = (BLOCK - rest.length) % BLOCK;
    rest = mixAll(joined(rest, piece.subarray(0, missing)));
    if (piece.length > missing) rest = mixAll(piece.subarray(missing));
  }
  // What is left, a bit that ends it, and the length in bits as 64 of them.
  const end = new Uint8Array(rest.length < BLOCK - 8 ? BLOCK : 2 * BLOCK);
  end.set(rest);
  end[rest.length] = 0x80;
  new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n);
  mixAll(end);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
