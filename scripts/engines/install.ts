// Installs the servers of this folder, for tests and benchmarks on them.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** Whether the package has a server for this system. */
export const hasEngines = (): boolean => process.platform === 'linux' && process.arch === 'x64';

/** The lockfile names the exact versions; an installation that is newer than it is taken as it is. */
export function installEngines(): void {
  const done = path.join(import.meta.dirname, 'node_modules/.package-lock.json');
  const lock = path.join(import.meta.dirname, 'package-lock.json');
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The packages of scripts/engines could not be installed.');
}
