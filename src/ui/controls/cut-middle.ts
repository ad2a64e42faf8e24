// Shortens a name in the middle: generated names such as "warehouse-berlin-north-scale-017" differ at the end.

export interface CutText {
  head: string;
  middle: string;
  tail: string;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters as readers see them: half a surrogate pair or a lone accent would be drawn as something else. */
const charactersOf = (text: string): string[] =>
  // ASCII needs no segmenter, which costs far more than the cut.
  /^[ -~]*$/.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * The longest head and tail of equal length that fit, at least one character each. If `fits` accepts two lengths, it must
 * accept all shorter ones.
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
