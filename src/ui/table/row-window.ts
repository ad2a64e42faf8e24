// The rows to draw of a long table, by arithmetic: all are of one height.

/** Up to here a browser draws all rows at once without anyone noticing. */
const ALL_AT_ONCE = 120;
/** The height of a row before anything was measured, in pixels. */
export const ROW = 37;
/** Rows drawn beyond those in view, and the steps in which the window moves. */
const MARGIN = 6;
const STEP = 6;

export interface RowWindow {
  from: number;
  /** One past the last. */
  to: number;
}

export interface Sight {
  /** Of one row. */
  height: number;
  /** How far the rows are scrolled beyond the upper edge of what can be seen, which is `sight` high. */
  top: number;
  sight: number;
}

/** `look` makes the browser lay the page out, and is only called where the answer depends on it. */
export function windowOf(count: number, look: () => Sight): RowWindow & { height: number } {
  if (count <= ALL_AT_ONCE) return { from: 0, to: count, height: ROW };
  const { height, top, sight } = look();
  const first = Math.floor(top / height / STEP) * STEP - MARGIN;
  const length = Math.ceil(sight / height / STEP) * STEP + STEP + 2 * MARGIN;
  const from = Math.max(0, Math.min(first, count - length));
  return { from, to: Math.min(count, Math.max(0, from) + length), height };
}
