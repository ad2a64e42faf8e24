// Case folding for names that are stored, searched, or compared with others. SQLite's lower() supports only ASCII, so the
// service computes the folded form and stores it beside the name.

/**
 * Makes spellings that differ only in letter case equal. It converts to upper case first, so that "ß" matches "SS". The
 * Greek final sigma becomes a normal one, because a search for part of a name can end inside a word.
 */
export const fold = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
