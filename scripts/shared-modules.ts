// Which modules go together into one file of the build. Left alone, the bundler makes a file for each set of pages that
// share something: about sixty to the device table, most below 1 kB, and over HTTP/1.1 six travel at a time. So the
// dashboard is first built in memory to see what each page needs, and then with these files.
import { build, type Plugin, type Rolldown } from 'vite';

/** What is read of a chunk of that first build. */
export type PlannedChunk = Pick<
  Rolldown.OutputChunk,
  'fileName' | 'isEntry' | 'facadeModuleId' | 'moduleIds' | 'imports' | 'dynamicImports'
>;

/**
 * The first row that applies counts: `of` is a page that needs the module, `users` how many pages do at least. What a
 * module imports has at least as many users, so no two files can need each other.
 */
const FILES = [
  // First, because it is loaded before anything of the others.
  { name: 'sign-in-page', of: /\/src\/pages\/sign-in\/sign-in-page\.tsx$/, users: 1 },
  // Both are loaded for every page behind the sign-in.
  { name: 'frame', of: /\/src\/(routes|shell\/shell)\.tsx$/, users: 1 },
  { name: 'frame', of: /\/src\/pages\/devices\/devices-page\.tsx$/, users: 2 },
  { name: 'start', of: /\/src\/pages\/overview\/overview-page\.tsx$/, users: 3 },
  // The map brings the most of its own, and needs few of the parts that the other pages share.
  { name: 'light', of: /\/src\/pages\/map\/map-page\.tsx$/, users: 3 },
  { name: 'common', of: /./, users: 3 },
];
const PAGE = /([^/]+-page)\.tsx$/;
const ROUTES = /\/src\/routes\.tsx$/;

/** The file for each module that pages share; every other one stays where the bundler puts it. */
export function sharedModulesOf(chunks: PlannedChunk[]): Map<string, string> {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const neededBy = (file: string, found = new Set<PlannedChunk>()): Set<PlannedChunk> => {
    const chunk = byFile.get(file);
    if (!chunk || found.has(chunk)) return found;
    found.add(chunk);
    for (const imported of chunk.imports) neededBy(imported, found);
    return found;
  };
  const sourceOf = (chunk?: PlannedChunk) => (chunk?.facadeModuleId ?? '').replaceAll('\\', '/');
  const entries = chunks.filter(({ isEntry }) => isEntry);
  const initial = new Set(entries.flatMap(({ fileName }) => [...neededBy(fileName)]));
  // A page is what the entry or the routes import late.
  const routes = chunks.filter((chunk) => ROUTES.test(sourceOf(chunk)));
  const pages = new Set([...entries, ...routes].flatMap(({ dynamicImports }) => dynamicImports));
  const users = new Map<PlannedChunk, string[]>();
  for (const page of pages) {
    const source = sourceOf(byFile.get(page));
    for (const chunk of neededBy(page))
      if (!initial.has(chunk)) users.set(chunk, [...(users.get(chunk) ?? []), source]);
  }
  const sharedBy = (sources: string[]) =>
    FILES.find(({ of, users: least }) => sources.length >= least && sources.some((page) => of.test(page)))?.name;
  // What a page needs alone is a part of it, unless a dialog of another page needs it too.
  const everywhere = new Set([...initial, ...routes]);
  const openedFrom = new Map<PlannedChunk, number>();
  for (const page of pages) for (const chunk of opened(page)) openedFrom.set(chunk, (openedFrom.get(chunk) ?? 0) + 1);
  function opened(file: string, found = new Set<PlannedChunk>()): Set<PlannedChunk> {
    const chunk = byFile.get(file);
    if (!chunk || found.has(chunk) || everywhere.has(chunk)) return found;
    found.add(chunk);
    for (const next of [...chunk.imports, ...chunk.dynamicImports]) opened(next, found);
    return found;
  }
  const ownBy = (chunk: PlannedChunk, [page = '', ...others]: string[]) =>
    others.length === 0 && openedFrom.get(chunk) === 1 ? PAGE.exec(page)?.[1] : undefined;
  return new Map(
    [...users].flatMap(([chunk, sources]) => {
      const file = sharedBy(sources) ?? ownBy(chunk, sources);
      return file ? chunk.moduleIds.map((id): [string, string] => [id, file]) : [];
    }),
  );
}

async function planned(): Promise<Map<string, string>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, cssMinify: false },
  });
  if (!('output' in built)) throw new Error('The dashboard is built in one go.');
  return sharedModulesOf(built.output.filter((output) => output.type === 'chunk'));
}

export function sharedModules(): Plugin {
  return {
    name: 'shared-modules',
    apply: 'build',
    async config() {
      const fileOf = await planned();
      const groups = [
        { name: 'entry', tags: ['$initial' as const], priority: 1 },
        // The recursion would follow index modules: a whole library, for one of its parts.
        { debugName: 'shared', name: (id: string) => fileOf.get(id) ?? null, includeDependenciesRecursively: false },
      ];
      return { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } };
    },
  };
}
