// Letter case, folded the same way when a name is stored and when it is looked for. SQLite's own lower() knows ASCII
// only, so the folded form is made here and kept beside the name.

/**
 * `text` in a form in which two spellings that differ only in letter case are equal, in any script. By way of upper
 * case, so that "ß" meets "SS"; the Greek sigma loses its special form at the end of a word, since a part of a name
 * ends where the searcher stopped typing.
 */
export const fold = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
