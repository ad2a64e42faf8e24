// One row cut into the pieces that are drawn: by colour, by what a search found, and by hidden characters.
import type { AnsiPart, AnsiStyle } from './ansi.ts';
import { splitGlyphs } from '#/lib/glyphs.ts';

/** A range of the row that a search found; `current`: the one the reader is at. */
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

/** `hits` in order, without overlaps, counted in characters of the row's own text. */
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
