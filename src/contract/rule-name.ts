// The name by which a job's rules are found. A vendor's file has its version in its name (myapp_1.2.0.tar.gz), and
// rules apply to all versions of it: they are stored under the name without extension and version.

const EXTENSION = /\.(?:tar\.gz|tgz|tar|gz|sh|bash|py|rb|pl|js|mjs|bin|run)$/i;
const VERSION = /[-_ .]v?\d+(?:\.\d+)+(?:[-+._][\da-z]+)*$/i;

/** `myapp_1.2.0.tar.gz` → `myapp`; the whole name where nothing would be left. */
export function ruleNameOf(fileName: string, version = ''): string {
  const stem = fileName.replace(EXTENSION, '');
  const at = version && stem.endsWith(version) ? stem.length - version.length : stem.length;
  const without = stem.slice(0, at).replace(at < stem.length ? /[-_ .]v?$/i : VERSION, '');
  return without || stem || fileName;
}
