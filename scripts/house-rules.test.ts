// House rules that lint can't express. The rest of them, above all who may import whom, is in .oxlintrc.json.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { test } from 'node:test';

const root = dirname(import.meta.dirname);
const sources = ['src', 'server', 'agent', 'scripts', 'e2e'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((file) => !file.includes('node_modules/')),
);

/** The files of src/ that a file names, in every form an import can have. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]((?:#|\.{1,2})\/[^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  );
  return named.map((name) => (name.startsWith('#/') ? `src/${name.slice(2)}` : posix.join(posix.dirname(file), name)));
}

const pageFolder = (file: string) => /^src\/pages\/([^/]+)\//.exec(file)?.[1];

test('the files of the house are found, and their imports', () => {
  assert.ok(sources.includes('scripts/house-rules.test.ts'));
  assert.ok(importsOf('scripts/check.ts').includes('scripts/steps.ts'));
});

test('no page imports from the folder of another page', () => {
  const offences = sources
    .filter((file) => pageFolder(file) !== undefined)
    .flatMap((file) => importsOf(file).map((imported) => ({ file, imported })))
    .filter(({ file, imported }) => pageFolder(imported) !== undefined && pageFolder(imported) !== pageFolder(file))
    .map(({ file, imported }) => `${file} imports ${imported}`);
  assert.deepEqual(offences, []);
});

test('a file begins by saying why it exists', () => {
  const silent = sources.filter((file) => {
    if (/\.(test|spec)\.ts$|\.d\.ts$/.test(file)) return false;
    return !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(readFileSync(join(root, file), 'utf8'));
  });
  assert.deepEqual(silent, []);
});
