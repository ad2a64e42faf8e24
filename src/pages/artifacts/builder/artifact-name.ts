// Name and version of a built archive. They form its file name and its folder, so they are limited to portable characters.

export const nameFault = (name: string): string | undefined =>
  name === ''
    ? 'Enter a name.'
    : /^[A-Za-z0-9][\w.+-]{0,99}$/.test(name)
      ? undefined
      : 'Letters, digits and . _ + - only; the first is a letter or a digit.';

export const versionFault = (version: string): string | undefined =>
  version === ''
    ? 'Enter a version.'
    : /^\d[A-Za-z0-9.+-]{0,49}$/.test(version)
      ? undefined
      : 'Start with a digit, as in 1.2.0; then letters, digits and . + -';

export function suggestedName(folder: string, version: string): string {
  const bare = version && folder.includes(version) ? folder.slice(0, folder.lastIndexOf(version)) : folder;
  return bare
    .replace(/[-_. ]*v?$/i, (end) => (bare === folder ? end : ''))
    .replaceAll(/[^\w.+]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 100);
}

export const folderOf = (name: string, version: string): string => `${name}_${version}`;
export const fileNameOf = (name: string, version: string): string => `${folderOf(name, version)}.tar.gz`;
