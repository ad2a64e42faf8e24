// Files that are left out of an archive unless the user includes them, because devices do not need or must not see them.

const KINDS: [word: string, of: (part: string) => boolean][] = [
  ['version control', (part) => ['.git', '.svn', '.hg'].includes(part)],
  ['node_modules', (part) => part === 'node_modules'],
  ['system files', (part) => /^(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|__pycache__)$/i.test(part)],
  ['hidden', (part) => part.startsWith('.')],
];

/** Why a file is left out by default; undefined if it is included. */
export function whyLeftOut(path: string): string | undefined {
  const parts = path.split('/');
  return KINDS.find(([, of]) => parts.some(of))?.[0];
}
