// What terminals obey and do not show, taken out of text. Apart from what reads colours: workers need no more than this.

/** ECMA-48 control sequences: colours (final byte m) and movements of the cursor. */
// oxlint-disable-next-line no-control-regex
export const SEQUENCE = /\u001b\[([0-?]*)[ -/]*([@-~])/g;

/** The text without any control sequence. */
export const withoutAnsi = (text: string): string => (text.includes('\u001b') ? text.replace(SEQUENCE, '') : text);

/**
 * All that begins with an escape: control sequences; strings such as a window's title or a link's address with their end
 * (BEL or ST), never past a line; the two or three characters that choose a character set or save the cursor.
 */
// oxlint-disable-next-line no-control-regex
const ESCAPE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-Z\\-~])/g;

/** The words of a text alone, for what reads it. The log view shows such strings as they are: it hides nothing. */
export const withoutEscapes = (text: string): string => (text.includes('\u001b') ? text.replace(ESCAPE, '') : text);
