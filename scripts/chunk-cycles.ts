// Refuses a build in which files need each other in a circle: one of them then runs before what it needs is there, and
// the page stays blank. Taking modules out of the common file (vite.config.ts) can make such circles without a word.
import type { Plugin } from 'vite';
import type { BuiltChunk } from './first-load.ts';

/** The files of the first circle that is found, in order; undefined when there is none. */
export function cycleIn(chunks: Pick<BuiltChunk, 'fileName' | 'imports'>[]): string[] | undefined {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  const free = new Set<string>();
  const follow = (file: string, path: string[]): string[] | undefined => {
    const seen = path.indexOf(file);
    if (seen >= 0) return path.slice(seen);
    if (free.has(file)) return undefined;
    for (const imported of importsOf.get(file) ?? []) {
      const cycle = follow(imported, [...path, file]);
      if (cycle) return cycle;
    }
    free.add(file);
    return undefined;
  };
  for (const file of importsOf.keys()) {
    const cycle = follow(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

export function noChunkCycles(): Plugin {
  return {
    name: 'no-chunk-cycles',
    apply: 'build',
    generateBundle(_options, bundle) {
      const cycle = cycleIn(Object.values(bundle).filter((output) => output.type === 'chunk'));
      if (cycle) this.error(`Files of the build need each other: ${cycle.join(' → ')}. See SELDOM in vite.config.ts.`);
    },
  };
}
