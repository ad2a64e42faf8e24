// The name under which the outcome rules of a file are stored. Rules apply to all versions of it, so the name has neither the
// extension nor the version that vendors put into file names (myapp_1.2.0.tar.gz).

const EXTENSION = /\.(?:tar\.gz|tgz|tar|gz|sh|bash|py|rb|pl|js|mjs|bin|run)$/i;
const VERSION = /[-_ .]v?\d+(?:\.\d+)+(?:[-+._][\da-z]+)*$/i;

/** `myapp_1.2.0.tar.gz` → `myapp`; the full name if nothing would be left. */
export function ruleNameOf(fileName: string, version = ''): string {
  const stem = fileName.replace(EXTENSION, '');
  const at = version && stem.endsWith(version) ? stem.length - version.length : stem.length;
  const without = stem.slice(0, at).replace(at < stem.length ? /[-_ .]v?$/i : VERSION, '');
  return without || stem || fileName;
}
