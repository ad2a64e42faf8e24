// Guards against a dashboard that grows unnoticed, with slack: the sizes of each build, by Vite's manifest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The fields used of a manifest entry. */
interface ManifestChunk {
  file: string;
  name?: string;
  imports?: string[];
  css?: string[];
}
export type Manifest = Record<string, ManifestChunk>;

/** What a first visit loads. The names of chunks are those of scripts/shared-modules.ts. */
const FIRST_LOADS = {
  'the sign-in page': ['index.html', 'sign-in-page'],
  'the device table': ['index.html', 'frame', 'devices-page'],
};
type FirstLoad = keyof typeof FIRST_LOADS;

/** Bytes of gzip, and files. */
const MOST: Record<FirstLoad, Load> = {
  'the sign-in page': { scripts: 95_000, styles: 20_000, files: 5 },
  'the device table': { scripts: 206_300, styles: 20_000, files: 8 },
};
export const MOST_SCRIPTS = 851_500;

interface Load {
  scripts: number;
  styles: number;
  files: number;
}

/** The files of the named chunks and of all that they import. */
export function filesOf(manifest: Manifest, names: string[]): { scripts: string[]; styles: string[] } {
  const needed = new Set<ManifestChunk>();
  const visit = (key: string) => {
    const chunk = manifest[key];
    if (!chunk || needed.has(chunk)) return;
    needed.add(chunk);
    chunk.imports?.forEach(visit);
  };
  for (const name of names) {
    // A chunk of several pages has no source and goes by its own name, which its style sheet has too.
    const found = Object.entries(manifest).find(
      ([key, { name: own, file }]) => key === name || (own === name && file.endsWith('.js')),
    );
    if (!found) throw new Error(`The build has no chunk for ${name}: was the file renamed?`);
    visit(found[0]);
  }
  return {
    scripts: [...needed].map(({ file }) => file),
    styles: [...new Set([...needed].flatMap(({ css = [] }) => css))],
  };
}

/** What each first visit loads; `sizeOf` gives the bytes of a file of the build. */
export function firstLoads(manifest: Manifest, sizeOf: (file: string) => number): Record<FirstLoad, Load> {
  const sum = (files: string[]) => files.reduce((bytes, file) => bytes + sizeOf(file), 0);
  const load = (chunks: string[]): Load => {
    const { scripts, styles } = filesOf(manifest, chunks);
    return { scripts: sum(scripts), styles: sum(styles), files: scripts.length + styles.length };
  };
  return {
    'the sign-in page': load(FIRST_LOADS['the sign-in page']),
    'the device table': load(FIRST_LOADS['the device table']),
  };
}

/** What is over the budget, in words. */
export function overBudget(loads: Record<FirstLoad, Load>, allScripts: number): string[] {
  const over = (Object.keys(MOST) as FirstLoad[]).flatMap((page) =>
    (['scripts', 'styles', 'files'] as const)
      .filter((what) => loads[page][what] > MOST[page][what])
      .map((what) => `${what} to ${page}: ${loads[page][what]}, at most ${MOST[page][what]}`),
  );
  return allScripts > MOST_SCRIPTS ? [...over, `all scripts: ${allScripts}, at most ${MOST_SCRIPTS}`] : over;
}

/** The sizes of the build in this folder as a line of text, and what of them is over the budget. */
export function weigh(folder: string): { sizes: string; over: string } {
  const gzipBytes = (file: string) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest;
  const loads = firstLoads(manifest, gzipBytes);
  // From the folder, because the manifest does not list workers.
  const allScripts = readdirSync(join(folder, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .reduce((bytes, file) => bytes + gzipBytes(join('assets', file)), 0);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const pages = Object.entries(loads).map(
    ([page, { scripts, styles, files }]) =>
      `${page}: ${kilobytes(scripts)} of scripts and ${kilobytes(styles)} of styles in ${files} files`,
  );
  const over = overBudget(loads, allScripts);
  return {
    sizes: [...pages, `all scripts: ${kilobytes(allScripts)}`, 'gzip'].join('; '),
    over:
      over.length === 0
        ? ''
        : `The dashboard is over its budget (scripts/budget.ts):\n${over.join('\n')}\nLoad late what a first visit does without (src/ui/late).`,
  };
}
