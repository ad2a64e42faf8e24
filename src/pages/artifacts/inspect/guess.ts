// Suggestions for the upload form from a file's name and first bytes. All can be changed.
import { shellPath } from './finding.ts';
import { isGzip } from './script-check.ts';

export type ArtifactType = 'tar.gz' | 'script';

/**
 * gzip data counts as a tar.gz, and so does a file of that name, to explain what it is not; everything else as a
 * script.
 */
export const guessType = (fileName: string, head: Uint8Array): ArtifactType =>
  isGzip(head) || /\.(tar\.gz|tgz)$/i.test(fileName) ? 'tar.gz' : 'script';

// After a separator, or at the beginning: 1.2.0, v2, 2026.11.02, 1.0-rc.1. Not the 256 of sha256.sh, nor 2fa.sh.
const VERSION =
  /(?:^|[-_ .])v?(\d+(?:\.\d+)*(?:[-+._](?:alpha|beta|rc|dev|pre|snapshot|build|post|hotfix|p)[.-]?\d*(?:\.\d+)*)?)(?=$|[-_ .+])/gi;

/** The version in a file name: `myapp_1.2.0.tar.gz` → `1.2.0`; '' where there is none. */
export function guessVersion(fileName: string): string {
  const stem = fileName.replace(/(\.tar)?\.(gz|tgz|sh|bash|py|rb|pl|js|mjs|bin|run|tar)$/i, '');
  // The usual form of archive names, and the builder's: the version is all behind the last "_".
  const behind = /_v?(\d[\w.+-]*)$/.exec(stem)?.[1];
  if (behind !== undefined && !behind.includes('_')) return behind;
  const found = [...stem.matchAll(VERSION)].map(([, version = '']) => version);
  // The one with most parts: in sensor-2_firmware-1.4.0 it is 1.4.0.
  return found.reduce((best, each) => (each.split('.').length > best.split('.').length ? each : best), found[0] ?? '');
}

export const guessCommand = (fileName: string): string => `./${shellPath(fileName)}`;
