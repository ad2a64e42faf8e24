// A long text in pieces as received. When it grows, it begins with the same pieces, so that nothing is copied and offsets
// stay valid.
import { firstIndex } from '#/lib/binary-search.ts';

export interface LogText {
  readonly pieces: readonly string[];
  /** Where each piece begins. */
  readonly begins: readonly number[];
  readonly length: number;
}

export function logTextOf(pieces: readonly string[]): LogText {
  const begins: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    begins.push(length);
    length += piece.length;
  }
  return { pieces, begins, length };
}

/** Whether `text` begins with all of `before`. Identical strings compare quickly. */
export function continues(text: LogText, before: LogText): boolean {
  const last = before.pieces.length - 1;
  return before.pieces.every((piece, index) => {
    const now = text.pieces[index] ?? '';
    return now === piece || (index === last && now.startsWith(piece));
  });
}

/** The index of the piece at an offset. */
const pieceAt = ({ begins }: LogText, offset: number): number =>
  Math.max(0, firstIndex(begins.length, (index) => (begins[index] ?? 0) > offset) - 1);

export function sliceOf(text: LogText, from: number, to: number): string {
  let slice = '';
  for (let index = pieceAt(text, from); index < text.pieces.length; index++) {
    const begin = text.begins[index] ?? 0;
    if (begin >= to) break;
    slice += (text.pieces[index] ?? '').slice(Math.max(0, from - begin), to - begin);
  }
  return slice;
}

/** The UTF-16 code unit at an offset; NaN past the end. */
export function codeAt(text: LogText, offset: number): number {
  const index = pieceAt(text, offset);
  return text.pieces[index]?.charCodeAt(offset - (text.begins[index] ?? 0)) ?? Number.NaN;
}

/** The next offset of a character, or the end of the text. */
export function nextOf(text: LogText, letter: string, from: number): number {
  for (let index = pieceAt(text, from); index < text.pieces.length; index++) {
    const begin = text.begins[index] ?? 0;
    const found = text.pieces[index]?.indexOf(letter, Math.max(0, from - begin)) ?? -1;
    if (found !== -1) return begin + found;
  }
  return text.length;
}

/** The last offset of a character in `[from, to)`, or -1. */
export function lastOf(text: LogText, letter: string, from: number, to: number): number {
  for (let index = pieceAt(text, to - 1); index >= 0; index--) {
    const begin = text.begins[index] ?? 0;
    const found = to - 1 < begin ? -1 : (text.pieces[index]?.lastIndexOf(letter, to - 1 - begin) ?? -1);
    if (found !== -1) return begin + found >= from ? begin + found : -1;
    if (begin <= from) break;
  }
  return -1;
}
