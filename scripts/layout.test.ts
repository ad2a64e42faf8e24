// Rules of the layout that lint can't express: who may import whom, and where one thing has its only place.
// CONTRIBUTING.md has the reasons.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { test } from 'node:test';

const root = dirname(import.meta.dirname);
const files = ['src', 'server', 'agent', 'scripts', 'e2e'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|css)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((file) => !file.includes('node_modules/')),
);
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
/** Tests and what only they use may reach further. */
const isTest = (file: string) => /\.(test|spec)\.tsx?$|(^|\/)(test-|fake-)[^/]*$/.test(file);
const sources = files.filter((file) => !isTest(file));
const code = sources.filter((file) => !file.endsWith('.css'));

/** The files of ours that a file imports, in every form an import can have; types included. */
function importsOf(
  file: string,
  form = /\b(?:from|import|new URL)\s*\(?\s*['"]((?:#|\.{1,2})\/[^'"]+)['"]/g,
): string[] {
  return [...(textOf.get(file) ?? '').matchAll(form)]
    .map((match) => match[1] ?? '')
    .map((name) => (name.startsWith('#/') ? `src/${name.slice(2)}` : posix.join(posix.dirname(file), name)))
    .filter((imported) => textOf.has(imported));
}
const imports = new Map(sources.map((file) => [file, importsOf(file)]));
const arrows = [...imports].flatMap(([file, imported]) => imported.map((to) => ({ file, to })));
const say = ({ file, to }: { file: string; to: string }) => `${file} imports ${to}`;

/** What each folder of src/ may import; main.tsx and routes.tsx may import all of it. */
const BELOW: Record<string, string[]> = {
  contract: [],
  lib: [],
  ui: ['lib'],
  api: ['contract', 'lib'],
  fleet: ['api', 'contract', 'lib'],
  features: ['fleet', 'api', 'contract', 'ui', 'lib', 'paths.ts'],
  pages: ['features', 'fleet', 'api', 'contract', 'ui', 'lib', 'paths.ts'],
  shell: ['features', 'fleet', 'api', 'contract', 'ui', 'lib', 'paths.ts'],
};
/**
 * The same for server/; its root files (main, service, app, config, context …) are put together by whoever needs them.
 */
const SERVER_BELOW: Record<string, string[]> = {
  operation: [],
  store: ['operation'],
  http: ['operation', 'store'],
  auth: ['operation', 'http', 'store'],
  cluster: ['operation', 'http', 'store'],
  agents: ['operation', 'http', 'store'],
  tunnels: ['operation', 'http', 'store', 'auth', 'agents', 'cluster'],
  jobs: ['operation', 'http', 'store', 'agents', 'cluster'],
  actions: ['operation', 'http', 'store', 'jobs'],
  rollouts: ['operation', 'http', 'store', 'jobs'],
  api: ['operation', 'http', 'store', 'auth', 'agents', 'tunnels', 'jobs', 'actions', 'rollouts'],
  proxy: ['operation', 'http', 'store', 'auth', 'api', 'rollouts'],
};

function upward(tree: string, below: Record<string, string[]>): string[] {
  const folderOf = (file: string) => (file.startsWith(`${tree}/`) ? (file.split('/')[1] ?? '') : '');
  return arrows
    .filter(({ file, to }) => {
      const [from, target] = [folderOf(file), folderOf(to)];
      const allowed = below[from];
      const isKnown = target in below || (tree === 'src' && /\.tsx?$/.test(target));
      return allowed !== undefined && isKnown && target !== from && !allowed.includes(target);
    })
    .map(say);
}

test('files are found, and their imports', () => {
  assert.ok(files.includes('scripts/layout.test.ts'));
  assert.ok(importsOf('scripts/check.ts').includes('scripts/steps.ts'));
});

test('imports go downward, those of types included', () => {
  assert.deepEqual(upward('src', BELOW), []);
  assert.deepEqual(upward('server', SERVER_BELOW), []);
});

test('no page imports from the folder of another page, and features need each other in no circle', () => {
  const part = (file: string, tree: string) => (file.startsWith(`src/${tree}/`) ? file.split('/')[2] : undefined);
  const between = (tree: string) =>
    arrows.filter(({ file, to }) => {
      const [from, target] = [part(file, tree), part(to, tree)];
      return from !== undefined && target !== undefined && from !== target;
    });
  assert.deepEqual(between('pages').map(say), []);
  const needs = new Map<string, Set<string>>();
  for (const { file, to } of between('features')) {
    const from = part(file, 'features') ?? '';
    needs.set(from, (needs.get(from) ?? new Set()).add(part(to, 'features') ?? ''));
  }
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(needs.get(from) ?? [])].some(
      (next) => next === wanted || (!seen.has(next) && reaches(next, wanted, seen.add(next))),
    );
  assert.deepEqual(
    [...needs.keys()].filter((feature) => reaches(feature, feature)),
    [],
  );
});

test('a sub-folder imports nothing from its parent folder', () => {
  const offences = arrows.filter(({ file, to }) => {
    const [own, other] = [posix.dirname(file), posix.dirname(to)];
    // Below src/ and server/ only: their roots are put together from the folders.
    return /^(src|server)\//.test(other) && own.startsWith(`${other}/`);
  });
  assert.deepEqual(offences.map(say), []);
});

test('each of these has one place', () => {
  const places: [what: string, pattern: RegExp, where: RegExp][] = [
    ['state in the URL', /\buseSearchParams\b|\.searchParams\./, /^src\/ui\/url\//],
    ['the columns behind the fleet index', /#\/fleet\/table\.ts|\btableOf\b/, /^src\/fleet\//],
    ['links', /\b(Nav)?Link\b[^}]*\} from 'react-router'/, /^src\/ui\/url\/link\.tsx$/],
    ['late parts', /\blazy\(/, /^src\/(ui\/late\/lazy-dialog|routes)\.tsx$/],
    ['stored values', /\b(local|session)Storage\b/, /^src\/lib\/stored\.ts$/],
    // Vite finds a worker where its constructor is called, which therefore is the client's argument.
    ['workers', /(?<!new WorkerClient(<[^()]*>)?\(\s*\(\) =>\s*)\bnew Worker\(/, /^$/],
    ['dialogs', /import \{[^}]*\bModal\b/, /^src\/(ui\/dialog\/base-dialog|shell\/palette\/palette-dialog)\.tsx$/],
  ];
  const offences = places.flatMap(([what, pattern, where]) =>
    code
      .filter((file) => file.startsWith('src/') && !where.test(file))
      .filter((file) => pattern.test((textOf.get(file) ?? '').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')))
      .map((file) => `${what}: ${file}`),
  );
  assert.deepEqual(offences, []);
});

test('every member of an exported object or class is used', () => {
  const shipped = code.filter((file) => !/\.d\.ts$|^e2e\//.test(file));
  const bare = new Map(
    shipped.map((file) => [file, (textOf.get(file) ?? '').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')]),
  );
  const all = [...bare.values()].join('\n');
  const used = new Set(
    [...all.matchAll(/\.(\w+)\b|[{,]\s*(\w+)(?=\s*[,}:=])/g)].map(([, member, field]) => member ?? field),
  );
  const offences: string[] = [];
  for (const [file, text] of bare) {
    for (const [, name = '', body = ''] of text.matchAll(/^export const (\w+)(?:: [^=\n]+)? = \{\n([^]*?)\n\}/gm)) {
      // An object that is also used as a whole can be read in ways that no search finds.
      const whole = [...all.matchAll(new RegExp(`(?<![\\w$])(?<!(?<!\\.)\\.)${name}\\b(?!\\.\\w)`, 'g'))].length;
      const named = [...all.matchAll(new RegExp(`^import [^;]*\\b${name}\\b[^;]*;|^export const ${name}\\b`, 'gm'))]
        .length;
      if (whole > named) continue;
      for (const [, member = ''] of body.matchAll(/^ {2}(?:async )?([A-Za-z]\w*)[(:,<]/gm))
        if (!new RegExp(`(?<![\\w$])${name}\\.${member}\\b`).test(all)) offences.push(`${file}: ${name}.${member}`);
    }
    // A class that extends or implements another has members that only the other's code calls.
    for (const [, name = '', body = ''] of text.matchAll(/^(?:export )?class (\w+) \{\n([^]*?)\n\}/gm))
      for (const [, member = ''] of body.matchAll(
        /^ {2}(?:(?:static|readonly|async|get|set) )*([A-Za-z]\w*)(?:[(:;<?]| =)/gm,
      ))
        if (member !== 'constructor' && !used.has(member)) offences.push(`${file}: ${name}.${member}`);
  }
  assert.deepEqual(offences, []);
});

test('each class that a component names is in its CSS module, and each class of a module is named', () => {
  const named = new Map<string, Set<string>>();
  const computed = new Set<string>();
  for (const file of code.filter((each) => each.startsWith('src/'))) {
    const text = textOf.get(file) ?? '';
    for (const [, local = '', from = ''] of text.matchAll(/^import (\w+) from '([^']+\.module\.css)';/gm)) {
      const module = from.startsWith('#/') ? `src/${from.slice(2)}` : posix.join(posix.dirname(file), from);
      const names = named.get(module) ?? new Set();
      for (const [, name = ''] of text.matchAll(new RegExp(`(?<![\\w/.-])${local}\\.(\\w+)`, 'g'))) names.add(name);
      if (text.includes(`${local}[`)) computed.add(module); // by a name put together at run time: nothing to compare
      named.set(module, names);
    }
  }
  const offences = sources
    .filter((file) => file.endsWith('.module.css'))
    .flatMap((module) => {
      const css = (textOf.get(module) ?? '').replaceAll(/\/\*[\s\S]*?\*\/|:global\([^)]*\)/g, '');
      const there = new Set([...css.matchAll(/\.([a-zA-Z][\w-]*)(?=[^{};]*\{)/g)].map((match) => match[1] ?? ''));
      const used = named.get(module) ?? new Set();
      return [
        ...[...used].filter((name) => !there.has(name)).map((name) => `${module} has no .${name}`),
        ...[...there]
          .filter((name) => !used.has(name) && !computed.has(module))
          .map((name) => `nothing uses .${name} of ${module}`),
      ];
    });
  assert.deepEqual(offences, []);
});

test('no live region is rendered only together with its text', () => {
  // Status (src/ui/controls/status.tsx) is rendered always, with the condition in it.
  const late = /(?:&&|\?|:)\s*\(?\s*<(?:Status\b|\w+[^<>]*\srole="status")/;
  assert.deepEqual(
    code.filter((file) => late.test(textOf.get(file) ?? '')),
    [],
  );
});

test('no reason of a disabled control is shown by the mouse only', () => {
  // As oxfmt writes it: the attributes of a tag are on one line, or each on its own. Gate shows a reason to everybody.
  const tag = /<\w[\w.]*(?: [^\n]*|\n( +)\S.*(?:\n\1.*)*)/g;
  const offences = code
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const tags = [...(textOf.get(file) ?? '').matchAll(tag)].map(([text, indent = '']) => ({ text, indent }));
      const has = ({ text, indent }: (typeof tags)[number], name: string) =>
        new RegExp(indent ? `^${indent}${name}` : `[ ]${name}`, 'm').test(text);
      return tags
        .filter((each) => has(each, 'disabled\\b') && has(each, 'title='))
        .map(({ text }) => `${file}: ${text}`);
    });
  assert.deepEqual(offences, []);
});
