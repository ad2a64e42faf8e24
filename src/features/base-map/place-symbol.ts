// A town's dot and name. protomaps-leaflet tries one side of the dot only and drops the name when that side is taken;
// this tries four, so that Tokyo does not lose its name because "Japan" is written to its right.
import type { Label, LabelSymbolizer } from 'protomaps-leaflet';

type Place = LabelSymbolizer['place'];
type Geometry = Parameters<Place>[1];

/** The position of the name beside the dot: its left edge (0), middle (0.5) or right edge (1), and the same from top to bottom. */
const sides = [
  { x: 0, y: 0.5 },
  { x: 1, y: 0.5 },
  { x: 0.5, y: 1 },
  { x: 0.5, y: 0 },
] as const;

/** Free space around a name, so that names never touch. */
const air = 2;

interface PlaceSymbolOptions {
  dot: LabelSymbolizer;
  text: LabelSymbolizer;
  /** From the middle of the dot to the name. */
  gap: number;
}

/** Draws a dot with its name on the first side that is free; nothing when none is. */
export class PlaceSymbol implements LabelSymbolizer {
  readonly #options: PlaceSymbolOptions;

  constructor(options: PlaceSymbolOptions) {
    this.#options = options;
  }

  place(...[layout, geometry, feature]: Parameters<Place>): Label[] | undefined {
    const { dot, text, gap } = this.#options;
    const [mark] = dot.place(layout, geometry, feature) ?? [];
    if (!mark) return undefined;
    // The name is measured at 0,0 and moved: the dot's own anchor gives the library's point type.
    const origin = mark.anchor.clone();
    const [name] = text.place(layout, [[origin.mult(0)]] as Geometry, feature) ?? [];
    const box = name?.bboxes[0];
    if (!name || !box) return undefined;
    const width = box.maxX - box.minX;
    const height = box.maxY - box.minY;
    for (const side of sides) {
      const left = -side.x * width + (0.5 - side.x) * 2 * gap;
      const top = -side.y * height + (0.5 - side.y) * 1.4 * gap;
      const bounds = {
        minX: mark.anchor.x + Math.min(left, -gap) - air,
        minY: mark.anchor.y + Math.min(top, -gap) - air,
        maxX: mark.anchor.x + Math.max(left + width, gap) + air,
        maxY: mark.anchor.y + Math.max(top + height, gap) + air,
      };
      if (layout.index.bboxCollides(bounds, layout.order)) continue;
      const draw: Label['draw'] = (context) => {
        mark.draw(context);
        context.translate(left - box.minX, top - box.minY);
        name.draw(context);
      };
      return [{ anchor: mark.anchor, bboxes: [bounds], draw }];
    }
    return undefined;
  }
}
