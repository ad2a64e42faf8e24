// Writes the header of a tar entry (POSIX ustar).

export const BLOCK = 512;
const utf8 = new TextEncoder();

interface Header {
  name: Uint8Array;
  prefix?: Uint8Array;
  type: '0' | '5' | 'x';
  mode: number;
  size: number;
  /** Seconds since the epoch. */
  time: number;
}

/** The largest size in eleven octal digits. */
const MAX_OCTAL = 8 ** 11 - 1;

export function tarHeader({ name, prefix, type, mode, size, time }: Header): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(utf8.encode(text), at);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.set(name.subarray(0, 100));
  put(octal(mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  if (size <= MAX_OCTAL) put(octal(size, 11), 124);
  else {
    // GNU's base-256 encoding, which every current reader supports.
    block[124] = 0x80;
    for (let at = 135, left = size; left > 0; at -= 1, left = Math.floor(left / 256)) block[at] = left % 256;
  }
  put(octal(time, 11), 136);
  put('        ', 148);
  put(type, 156);
  put('ustar\x0000', 257);
  if (prefix) block.set(prefix, 345);
  put(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  return block;
}
