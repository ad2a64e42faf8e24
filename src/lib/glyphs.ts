// Makes characters visible that would be hidden or would reorder the text around them. Names and output come from devices
// and must not be able to pass for other text.

// Control characters except tab and newline; characters without a shape (Unicode's Default_Ignorable_Code_Point: direction
// marks, zero-width spaces and joiners, soft hyphens, fillers, tags) and the Braille blank; line separators; lone
// surrogates. Scripts and emoji need joiners and variation selectors after some of their characters: there one of them
// stays, but not a run, which could encode hidden text.
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\ud800-\udfff]|(?<![\p{Lo}\p{Extended_Pictographic}\p{Emoji_Modifier}]\p{M}?)[\u200c\u200d]|(?<![\p{Lo}\p{Extended_Pictographic}\p{Emoji_Modifier}]|[0-9#*](?=\ufe0f\u20e3))[\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?![\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}])\p{DI}/gu;

// Names instead of the control pictures from U+2400: many fonts lack those and would draw an empty box.
const NAMES =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US';
const CONTROLS = NAMES.split(' ');

const glyphOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const name = code === 0x7f ? 'DEL' : CONTROLS[code];
  return `‹${name ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}›`;
};

/** The text with every hidden character replaced by its glyph. */
export const visible = (text: string): string => text.replace(HIDDEN, glyphOf);

/** A note about the hidden characters of a text; undefined if it has none. */
export function hiddenText(text: string): string | undefined {
  const shown = visible(text);
  return shown === text ? undefined : `Hidden characters: ${shown}`;
}

/** The text split into glyphs and what is shown unchanged. */
export function splitGlyphs(text: string): { text: string; glyph: boolean }[] {
  const pieces: { text: string; glyph: boolean }[] = [];
  let at = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (index > at) pieces.push({ text: text.slice(at, index), glyph: false });
    pieces.push({ text: glyphOf(character), glyph: true });
    at = index + character.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), glyph: false });
  return pieces;
}
