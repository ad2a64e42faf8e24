// What the rule of lint about names from outside finds, and what it leaves alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';

const root = path.dirname(import.meta.dirname);

/** The lines that the rule reports. */
function reported(t: TestContext, source: string): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-lint-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [file, config] = [path.join(folder, 'file.ts'), path.join(folder, 'config.json')];
  writeFileSync(file, source);
  const jsPlugins = [path.join(root, 'scripts/plain-lookup.mjs')];
  const rules = { 'muster/plain-lookup': 'error' };
  writeFileSync(config, JSON.stringify({ jsPlugins, plugins: [], categories: { correctness: 'off' }, rules }));
  const oxlint = path.join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '-c', config, '-f', 'unix', file], {
    encoding: 'utf8',
  });
  assert.match(stdout, /\d+ problems?|^$/, stderr);
  const lines = source.split('\n');
  return [...stdout.matchAll(/file\.ts:(\d+):/g)].map(([, line]) => (lines[Number(line) - 1] ?? '').trim());
}

test('looking names up in a plain object is an error', (t) => {
  const found = [
    'const word = WORDS[name];',
    'counts[name] = (counts[name] ?? 0) + 1;',
    'const isKnown = name in WORDS;',
    'const cast = (value as Record<string, string>)[name];',
    'const guess = KINDS[name as keyof typeof KINDS];',
    'return table[name];',
  ];
  const source = `const WORDS: Readonly<Record<string, string>> = { a: 'b' };
const KINDS = { a: 1 };
export function read(name: string, value: object, table: Record<string, number>) {
const counts: Record<string, number> = {};
${found.join('\n')}
}`;
  assert.deepEqual([...new Set(reported(t, source))], found);
});

test('a Map, a name in the code and the pairs of an object are none', (t) => {
  const source = `const WORDS = new Map(Object.entries<string>({ a: 'b' }));
const TYPES: Record<string, string> = { '.html': 'text/html' };
export function read(name: string, list: string[], at: number, found: Record<string, unknown>) {
  return [WORDS.get(name), TYPES['.html'], list[at], Object.entries(TYPES), found[name]];
}`;
  assert.deepEqual(reported(t, source), []);
});
