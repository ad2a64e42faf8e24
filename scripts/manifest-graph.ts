// The files of a build that a browser needs, from Vite's manifest.

/** The fields used of a manifest entry. */
export interface ManifestChunk {
  file: string;
  name?: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}
export type Manifest = Record<string, ManifestChunk>;

/** The named chunks with everything they import. A file of several pages has no source and goes by its own name. */
export function neededBy(manifest: Manifest, names: string[]): Set<string> {
  const needed = new Set<string>();
  const visit = (name: string) => {
    if (needed.has(name)) return;
    const chunk = manifest[name];
    if (!chunk) throw new Error(`The build has no chunk for ${name}: was the file renamed?`);
    needed.add(name);
    chunk.imports?.forEach(visit);
  };
  const keyOf = (name: string) =>
    Object.hasOwn(manifest, name)
      ? name
      : (Object.keys(manifest).find((key) => manifest[key]?.name === name && manifest[key].file.endsWith('.js')) ??
        name);
  names.map(keyOf).forEach(visit);
  return needed;
}

/** The chunks that the given ones may load later, with their imports and without the given ones. */
export function fetchedLater(manifest: Manifest, given: ReadonlySet<string>, except: string[]): Set<string> {
  const later = [...given]
    .filter((name) => !except.includes(name))
    .flatMap((name) => manifest[name]?.dynamicImports ?? []);
  return new Set([...neededBy(manifest, later)].filter((name) => !given.has(name)));
}

/** The files of chunks: scripts, and each style sheet once. */
export function filesOf(manifest: Manifest, names: Iterable<string>): { scripts: string[]; styles: string[] } {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  for (const name of names) {
    const chunk = manifest[name];
    if (!chunk) continue;
    scripts.add(chunk.file);
    chunk.css?.forEach((file) => styles.add(file));
  }
  return { scripts: [...scripts], styles: [...styles] };
}
