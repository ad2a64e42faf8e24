// The name under which the outcome rules of a file are stored. Rules apply to all versions of it, so the name has neither the
// extension nor the version that vendors put into file names (myapp_1.2.0.tar.gz).

const EXTENSION = /\.(?:tar\.gz|tgz|tar|gz|sh|bash|py|rb|pl|js|mjs|bin|run)$/i;
const VERSION = /[-_ .]v?\d+(?:\.\d+)+(?:[-+._][\da-z]+)*$/i;

/**
 * `myapp_1.2.0.tar.gz` → `myapp`; the full name if nothing would be left. A number that is part of a word is none: `rpi4` as 4
 * and `rpi5` as 5 are two devices' files.
 */
export function ruleNameOf(fileName: string, version = ''): string {
  const stem = fileName.replace(EXTENSION, '');
  const name = version && stem.endsWith(version) ? stem.slice(0, -version.length) : stem;
  const isApart = name !== stem && (/(?:^|[-_ .])v?$/i.test(name) || version.includes('.'));
  const without = isApart ? name.replace(/[-_ .]v?$/i, '') : stem.replace(VERSION, '');
  return without || stem || fileName;
}
