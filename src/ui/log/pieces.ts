// Splits a row into the pieces to draw: by colour, by search match and by hidden characters.
import type { AnsiPart, AnsiStyle } from './ansi.ts';
import { splitGlyphs } from '#/lib/glyphs.ts';

/** A match in a row; `current`: the one that the reader has stepped to. */
export interface Hit {
  from: number;
  to: number;
  current: boolean;
}

export interface Piece {
  text: string;
  style: AnsiStyle;
  glyph: boolean;
  hit: 'none' | 'other' | 'current';
}

/** `hits` must be in order and not overlap; they count characters of the row's text. */
export function piecesOf(parts: AnsiPart[], hits: Hit[] = []): Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  for (const { text, style } of parts) {
    const end = offset + text.length;
    const add = (from: number, to: number, hit: Piece['hit']) => {
      for (const piece of splitGlyphs(text.slice(from - offset, to - offset))) pieces.push({ ...piece, style, hit });
    };
    let at = offset;
    for (const { from, to, current } of hits) {
      if (to <= at || from >= end) continue;
      if (from > at) add(at, from, 'none');
      const last = Math.min(to, end);
      add(Math.max(from, at), last, current ? 'current' : 'other');
      at = last;
    }
    if (at < end) add(at, end, 'none');
    offset = end;
  }
  return pieces;
}
