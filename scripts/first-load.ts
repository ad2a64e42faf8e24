// Shortens the first load. Without this, a browser learns of a page's files one after the other: of the entry from
// index.html, of the shell and the page from the entry, of their parts from these. The build writes into index.html
// what each page needs, and public/early.js requests it while the entry is still loading.
import type { Plugin } from 'vite';

/** The fields used of a chunk of the build. */
export interface BuiltChunk {
  fileName: string;
  moduleIds: string[];
  isEntry: boolean;
  imports: string[];
  viteMetadata?: { importedCss: Set<string> };
}

/** Files to load early, by the path of a page; under `*` those of all pages behind the sign-in. */
export type FirstLoad = Record<string, string[]>;

const SHELL = /\/src\/shell\/shell\.tsx$/;
const SIGN_IN = 'sign-in';
const START = 'overview';
// A page at a path of one word is in a folder of that name. The router loads any other page, one step later.
const PAGE = /\/src\/pages\/([^/]+)\/\1-page\.tsx$/;

/** What to load early, from the chunks of a build: scripts and style sheets, without those of the entry itself. */
export function firstLoadOf(chunks: BuiltChunk[]): FirstLoad {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const needed = (chunk: BuiltChunk, found = new Set<BuiltChunk>()) => {
    if (found.has(chunk)) return found;
    found.add(chunk);
    for (const file of chunk.imports) {
      const imported = byFile.get(file);
      if (imported) needed(imported, found);
    }
    return found;
  };
  const filesOf = (parts: Iterable<BuiltChunk>) =>
    new Set([...parts].flatMap(({ fileName, viteMetadata }) => [...(viteMetadata?.importedCss ?? []), fileName]));
  const without = (files: Set<string>, ...others: Set<string>[]) =>
    [...files].filter((file) => others.every((other) => !other.has(file)));
  const sourceOf = ({ moduleIds }: BuiltChunk, wanted: RegExp) =>
    moduleIds.map((id) => wanted.exec(id.replaceAll('\\', '/'))).find((found) => found !== null);

  const entry = filesOf(chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => [...needed(chunk)]));
  const shell = filesOf(chunks.filter((chunk) => sourceOf(chunk, SHELL)).flatMap((chunk) => [...needed(chunk)]));
  const first: FirstLoad = { '*': without(shell, entry) };
  for (const chunk of chunks) {
    const name = sourceOf(chunk, PAGE)?.[1];
    if (name === undefined) continue;
    const files = filesOf(needed(chunk));
    first[name === START ? '/' : `/${name}`] = name === SIGN_IN ? without(files, entry) : without(files, entry, shell);
  }
  return first;
}

const EARLY = '<script src="/early.js"';

/** Writes it into index.html, as an attribute: the content security policy forbids inline scripts. */
export function firstLoad(): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        if (!html.includes(EARLY)) throw new Error(`index.html has no ${EARLY}: what is asked for early has no place.`);
        const outputs = Object.values(bundle);
        const first = firstLoadOf(outputs.filter((output) => output.type === 'chunk'));
        const font = outputs.find(({ fileName }) => /\/inter-latin-wght-normal-[^/]+\.woff2$/.test(fileName));
        if (font) first['*']?.push(font.fileName);
        return html.replace(EARLY, `${EARLY} data-first='${JSON.stringify(first)}'`);
      },
    },
  };
}
