// How wide a text is drawn, without a layout. A long table asks for each row that is scrolled into view, so that texts of
// ASCII are summed up from their letters: shaping a text takes ten times as long.

const canvas = () => document.createElement('canvas').getContext('2d');
let context: ReturnType<typeof canvas> | undefined;
const letters = new Map<string, Float64Array>();

export function widthOf(text: string, font: string): number {
  context ??= canvas();
  if (!context) return 0;
  if (context.font !== font) context.font = font;
  return context.measureText(text).width;
}

/** At least the width: letters that move together, like those of "AV", are not taken into account. */
export function sumOf(text: string, font: string): number {
  let widths = letters.get(font);
  if (!widths) letters.set(font, (widths = new Float64Array(128).fill(-1)));
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return widthOf(text, font);
    let width = widths[code] ?? 0;
    if (width < 0) widths[code] = width = widthOf(text.charAt(at), font);
    sum += width;
  }
  return sum;
}

/** A text measured before its font was there has another width now. */
export function forgetWidths(): void {
  letters.clear();
  context = undefined;
}
