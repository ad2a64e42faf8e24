// The colours of terminal output. anser reads the codes; text never becomes HTML, and each colour is replaced by the nearest
// of a few that are legible in both schemes.
import Anser from 'anser';
import { sliceOf, type LogText } from './log-text.ts';
import { SEQUENCE } from './overwritten.ts';

export type Colour = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white' | 'grey';

export interface AnsiStyle {
  fg?: Colour;
  bg?: Colour;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
}

export interface AnsiPart {
  text: string;
  style: AnsiStyle;
}

const HUES: Colour[] = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'];

/** The colour nearest to an RGB value; each component is 0 to 255. */
export function nearestColour(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread < 40) return most < 50 ? 'black' : most < 170 ? 'grey' : 'white';
  const sixth =
    most === red ? (green - blue) / spread : most === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread;
  return HUES[((Math.round(sixth) % 6) + 6) % 6] ?? 'white';
}

/** The colour of an entry of the 256-colour palette from 16 on: a 6 × 6 × 6 cube, then 24 greys. */
function paletteColour(entry: number): Colour {
  if (entry >= 232) {
    const level = 8 + (entry - 232) * 10;
    return nearestColour(level, level, level);
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cell = entry - 16;
  return nearestColour(level(Math.floor(cell / 36)), level(Math.floor(cell / 6) % 6), level(cell % 6));
}

function colourOf(name: string | null, trueColour: string | null): Colour | undefined {
  if (!name) return undefined;
  if (name === 'ansi-truecolor') {
    const [red = 0, green = 0, blue = 0] = (trueColour ?? '').split(',').map(Number);
    return nearestColour(red, green, blue);
  }
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  if (palette) return paletteColour(Number(palette[1]));
  return name === 'ansi-bright-black' ? 'grey' : (name.replace(/^ansi-(bright-)?/, '') as Colour);
}

/** Ignores "conceal", because a log hides nothing. */
function styleOf({ fg, bg, fg_truecolor, bg_truecolor, decorations }: Anser.AnserJsonEntry): AnsiStyle {
  let front = colourOf(fg, fg_truecolor);
  let back = colourOf(bg, bg_truecolor);
  if (decorations.includes('reverse')) [front, back] = [back ?? 'white', front ?? 'grey'];
  return {
    ...(front && { fg: front }),
    ...(back && { bg: back }),
    ...(decorations.includes('bold') && { bold: true }),
    ...(decorations.includes('dim') && { dim: true }),
    ...(decorations.includes('italic') && { italic: true }),
    ...(decorations.includes('underline') && { underline: true }),
    ...(decorations.includes('strikethrough') && { strike: true }),
  };
}

/** Reads rows in order; a colour that is not reset continues in the next row. `before`: text before the first row. */
export function ansiReader(before = ''): (row: string) => AnsiPart[] {
  const anser = new Anser();
  let style: AnsiStyle = {};
  const read = (row: string): AnsiPart[] => {
    if (!row.includes('\u001b')) return row === '' ? [] : [{ text: row, style }];
    const parts: AnsiPart[] = [];
    let at = 0;
    const take = (end: number) => {
      if (end > at) parts.push({ text: row.slice(at, end), style });
    };
    for (const { 0: sequence, 1: codes = '', 2: final, index } of row.matchAll(SEQUENCE)) {
      take(index);
      at = index + sequence.length;
      if (final === 'm' && /^[\d;]*$/.test(codes))
        style = styleOf(anser.processChunkJson(`${codes}m`, { json: true, use_classes: true }, true));
    }
    take(row.length);
    return parts;
  };
  read(before);
  return read;
}

/** How far back to look for a colour that is still active. */
const LOOK_BACK = 64 * 1024;

/** The colour codes that are active at an offset: those since the last reset. */
export function ansiBefore(text: LogText, offset: number): string {
  const before = sliceOf(text, Math.max(0, offset - LOOK_BACK), offset);
  if (!before.includes('\u001b[')) return '';
  let codes: string[] = [];
  for (const [sequence, code = '', final] of before.matchAll(SEQUENCE)) {
    if (final !== 'm') continue;
    if (/^0*$/.test(code)) codes = [];
    else codes.push(sequence);
  }
  return codes.slice(-32).join('');
}
