// Highlights search matches in the visible rows with the CSS Custom Highlight API, which leaves the DOM as it is.
// https://drafts.csswg.org/css-highlight-api-1/
import { fold, wordsOf } from '#/fleet/text.ts';

const NAME = 'found';

/** The positions of words in a text; none if folding changes its length, since positions would not match. */
function* hitsIn(text: string, words: readonly string[]): Generator<[start: number, end: number]> {
  const folded = fold(text);
  if (folded.length !== text.length) return;
  for (const word of words)
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      yield [at, at + word.length];
}

/** A shortened name consists of several text nodes. */
function rangeOf(cell: Element, start: number, end: number): Range {
  const range = new Range();
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let node = texts.nextNode(); node instanceof Text; node = texts.nextNode()) {
    const after = before + node.length;
    if (before <= start && start < after) range.setStart(node, start - before);
    if (before < end && end <= after) range.setEnd(node, end - before);
    before = after;
  }
  return range;
}

/** `search`: as typed; undefined removes all highlights. */
export function markHits(rows: Element | null, search: string | undefined): void {
  if (!('highlights' in CSS)) return;
  const words = wordsOf(search ?? '');
  if (!rows || words.length === 0) {
    CSS.highlights.delete(NAME);
    return;
  }
  const ranges: Range[] = [];
  for (const cell of rows.querySelectorAll('a[href], [data-id-text]'))
    for (const [start, end] of hitsIn(cell.textContent, words)) ranges.push(rangeOf(cell, start, end));
  CSS.highlights.set(NAME, new Highlight(...ranges));
}
