// The size of what a browser loads: builds the dashboard into a temporary folder and sums its compressed files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { ENTRY, FIRST_LOADS, gzipBytes } from '../budget.ts';
import { fetchedLater, filesOf, neededBy, type Manifest } from '../manifest-graph.ts';
import { kilobytes, type Figure, type Row, type Section } from './section.ts';

const [SIGN_IN, TABLE] = FIRST_LOADS;
/** What is aimed at for all scripts together, in bytes of gzip. */
const TOTAL = 400_000;

export const weight: Section = async () => {
  const root = dirname(dirname(import.meta.dirname));
  const outDir = mkdtempSync(join(tmpdir(), 'muster-weight-'));
  try {
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir, emptyOutDir: true, manifest: true },
    });
    const manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8')) as Manifest;
    return { subject: 'the built dashboard, gzip and brotli', rows: weigh(outDir, manifest) };
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
};

function weigh(folder: string, manifest: Manifest): Row[] {
  const gzip = (file: string) => gzipBytes(join(folder, file));
  const brotli = (file: string) => brotliCompressSync(readFileSync(join(folder, file))).length;
  const sum = (files: string[], of: (file: string) => number) =>
    kilobytes(files.reduce((bytes, file) => bytes + of(file), 0));
  const goal = (bytes: number) => ({ what: 'goal', figure: kilobytes(bytes) });
  const inBoth = (what: string, files: string[], aim?: number): Row[] => {
    const zipped = sum(files, gzip);
    return [
      { what: `${what}, gzip`, figure: zipped, ...(aim !== undefined && { against: goal(aim) }) },
      { what: `${what}, brotli`, figure: sum(files, brotli), against: { what: 'gzip', figure: zipped } },
    ];
  };

  const signIn = neededBy(manifest, [...SIGN_IN.chunks]);
  const table = neededBy(manifest, [...TABLE.chunks]);
  const later = filesOf(manifest, fetchedLater(manifest, table, [ENTRY])).scripts;
  // From the folder, because the manifest does not list workers.
  const all = readdirSync(join(folder, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => join('assets', file));
  const largest = all.map((file) => ({ file, bytes: gzip(file) })).reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const baseMap = readdirSync(join(folder, 'basemap')).map((file) => join('basemap', file));
  const count = (value: number): Figure => ({ value, unit: 'files' });

  return [
    ...inBoth('JS to the sign-in page', filesOf(manifest, signIn).scripts, SIGN_IN.scripts),
    { what: 'CSS to the sign-in page, gzip', figure: sum(filesOf(manifest, signIn).styles, gzip) },
    ...inBoth('JS to the device table', filesOf(manifest, table).scripts, TABLE.scripts),
    ...inBoth('CSS to the device table', filesOf(manifest, table).styles, TABLE.styles),
    { what: 'files to the device table', figure: count(Object.values(filesOf(manifest, table)).flat().length) },
    { what: 'JS of its dialogs and menus, fetched later, gzip', figure: sum(later, gzip) },
    {
      what: `largest chunk (${largest.file.replace(/^.*\/|-[\w-]{8}\.js$/g, '')}), gzip`,
      figure: kilobytes(largest.bytes),
    },
    ...inBoth('all JS', all, TOTAL),
    { what: 'base map, apart, as it is', figure: sum(baseMap, (file) => readFileSync(join(folder, file)).length) },
  ];
}
