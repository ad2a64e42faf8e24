// Cuts a name in its middle: names made by a scheme, like "warehouse-berlin-north-scale-017", differ at the end.

export interface CutText {
  head: string;
  middle: string;
  tail: string;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a reader takes for one character; a pair of surrogates or an accent on its own would be drawn as another one. */
const charactersOf = (text: string): string[] =>
  // ASCII needs no segmenter, which costs much more than the cut itself.
  /^[ -~]*$/.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * The longest head and tail, of equal lengths, that fit. At least one character of each is kept.
 * @param fits must be true of shorter ones, too
 */
export function cutMiddle(text: string, fits: (head: string, tail: string) => boolean): CutText {
  const characters = charactersOf(text);
  const cutTo = (kept: number): CutText => {
    const tailStart = characters.length - Math.ceil(kept / 2);
    return {
      head: characters.slice(0, Math.floor(kept / 2)).join(''),
      middle: characters.slice(Math.floor(kept / 2), tailStart).join(''),
      tail: characters.slice(tailStart).join(''),
    };
  };
  let best = cutTo(2);
  let least = 3;
  let most = characters.length - 1;
  while (least <= most) {
    const kept = (least + most) >> 1;
    const cut = cutTo(kept);
    if (fits(cut.head, cut.tail)) {
      best = cut;
      least = kept + 1;
    } else most = kept - 1;
  }
  return best;
}
