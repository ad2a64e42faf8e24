// Chance that falls the same way each time: every demo tells the same month.

/** A number from 0 to 1 (exclusive) that depends only on the text. */
export function chanceOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return mix(hash);
}

/** A series of such numbers. */
export function chances(text: string): () => number {
  let state = Math.floor(chanceOf(text) * 2 ** 32);
  return () => mix((state = (state + 0x6d_2b_79_f5) | 0));
}

function mix(state: number): number {
  let value = Math.imul(state ^ (state >>> 15), state | 1);
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
  return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
}
