// What terminals obey and do not show, taken out of text. Apart from what reads colours: workers need no more than this.

/** ECMA-48 control sequences: colours (final byte m) and movements of the cursor. */
// oxlint-disable-next-line no-control-regex
export const SEQUENCE = /\u001b\[([0-?]*)[ -/]*([@-~])/g;

/** The text without any control sequence. */
export const withoutAnsi = (text: string): string => (text.includes('\u001b') ? text.replace(SEQUENCE, '') : text);
