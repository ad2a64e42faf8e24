// Strips escape sequences from the output of a program, for code that searches it.

/**
 * Everything that begins with an escape (ECMA-48): control sequences; strings such as a window title or a link's address,
 * up to their end (BEL or ST) on the same line; the two or three characters that choose a character set or save the cursor.
 */
// oxlint-disable-next-line no-control-regex
const ESCAPE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-Z\\-~])/g;

/** The log view does not use this, because it hides nothing. */
export const withoutEscapes = (text: string): string => (text.includes('\u001b') ? text.replace(ESCAPE, '') : text);
