// What of a folder is left out of an archive unless a person takes it in: devices have no use for it, or must not see it.

const KINDS: [word: string, of: (part: string) => boolean][] = [
  ['version control', (part) => ['.git', '.svn', '.hg'].includes(part)],
  ['node_modules', (part) => part === 'node_modules'],
  ['system files', (part) => /^(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|__pycache__)$/i.test(part)],
  ['hidden', (part) => part.startsWith('.')],
];

/** Why a file is left out at first; undefined where it is taken in. */
export function whyLeftOut(path: string): string | undefined {
  const parts = path.split('/');
  return KINDS.find(([, of]) => parts.some(of))?.[0];
}
