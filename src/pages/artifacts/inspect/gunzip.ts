// Unpacks gzip data of one member or several, with zeros behind it or not, as gzip(1) does. The browser's own
// DecompressionStream takes only one member and nothing behind it.
import { Inflate } from 'pako';
import { DAMAGED, verifyPadding } from '#/contract/tar-check.ts';
import { TarFault } from '#/contract/tar-entries.ts';

/** Window bits of zlib's inflateInit2: the largest window, in a gzip header and trailer. */
const GZIP = 15 + 16;

/** Throws a TarFault for what is no gzip data, is cut off, or has more behind it. */
export async function* gunzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let member: Member | undefined;
  let isPadding = false;
  for await (const piece of packed)
    for (let left = piece; left.length > 0;) {
      isPadding ||= !member && left[0] === 0;
      if (isPadding) {
        verifyPadding(left);
        break;
      }
      member ??= new Member();
      left = member.take(left);
      yield* member.unpacked.splice(0);
      if (member.ended) member = undefined;
    }
  if (member) throw new TarFault(DAMAGED);
}

/** One member, or several if they meet within a piece. */
class Member extends Inflate {
  readonly unpacked: Uint8Array[] = [];
  #unread = () => 0;

  constructor() {
    super({ windowBits: GZIP });
  }

  /** Unpacks a piece; what is behind the member. */
  take(piece: Uint8Array): Uint8Array {
    if (!this.push(piece)) throw new TarFault(DAMAGED);
    return piece.subarray(piece.length - this.#unread());
  }

  override onStart(stream: { avail_in: number }): void {
    this.#unread = () => stream.avail_in;
  }

  override onData(bytes: Uint8Array): void {
    this.unpacked.push(bytes);
  }
}
