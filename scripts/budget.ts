// Guards against a first load that grows unnoticed, with slack: measured on the manifest of each build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { filesOf, neededBy, type Manifest } from './manifest-graph.ts';

export const ENTRY = 'index.html';
// The names of scripts/shared-modules.ts.
const SIGN_IN = 'sign-in-page';
const FRAME = 'frame';
const TABLE = 'devices-page';

/** Bytes of gzip, and files. */
export const FIRST_LOADS = [
  { name: 'the sign-in page', chunks: [ENTRY, SIGN_IN], scripts: 95_000, styles: 20_000, files: 5 },
  { name: 'the device table', chunks: [ENTRY, FRAME, TABLE], scripts: 200_000, styles: 20_000, files: 6 },
] as const;

export const gzipBytes = (file: string): number => gzipSync(readFileSync(file), { level: 9 }).length;

/** What is over the budget, in words; `sizeOf` gives the bytes of a file of the build. */
export function overBudget(manifest: Manifest, sizeOf: (file: string) => number): string[] {
  const sum = (files: string[]) => files.reduce((bytes, file) => bytes + sizeOf(file), 0);
  return FIRST_LOADS.flatMap(({ name, chunks, ...budget }) => {
    const { scripts, styles } = filesOf(manifest, neededBy(manifest, [...chunks]));
    const load = { scripts: sum(scripts), styles: sum(styles), files: scripts.length + styles.length };
    return (['scripts', 'styles', 'files'] as const)
      .filter((what) => load[what] > budget[what])
      .map((what) => `${what} to ${name}: ${load[what]}, at most ${budget[what]}`);
  });
}

/** What makes the first visit of the build in this folder slower than it may be; empty where nothing does. */
export function budgetReport(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest;
  const over = overBudget(manifest, (file) => gzipBytes(join(folder, file)));
  return over.length === 0
    ? ''
    : `The first load is over its budget (scripts/budget.ts):\n${over.join('\n')}\nLoad late what the first picture does without (src/ui/late).`;
}
