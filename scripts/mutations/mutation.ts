// One mutation: a change to one place of the sources that a test of its area has to notice.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

export interface Mutation {
  /** What the code does once it is applied, unique in the list. */
  name: string;
  area: string;
  file: string;
  /** A text that the file has exactly once, and what takes its place. */
  before: string;
  after: string;
  /** Tests of the area by default; narrower where only some of them can notice. */
  tests?: readonly string[];
  /** Its tests run on PostgreSQL. */
  engine?: 'postgres';
}

/** The source with the mutation applied; throws if the list no longer fits the source. */
export function mutate(source: string, { name, file, before, after }: Mutation): string {
  if (before === after) throw new Error(`"${name}" changes nothing.`);
  const places = source.split(before).length - 1;
  if (places !== 1)
    throw new Error(
      `"${name}" does not apply: ${file} has ${places === 0 ? 'no' : `${places} times the`} text ${JSON.stringify(before)}. ` +
        'Update its entry in scripts/mutations/list.ts.',
    );
  return source.replace(before, () => after);
}

/** Why an entry of the list no longer fits the code, if it does not. */
export function misfitOf(root: string, mutation: Mutation, tests: readonly string[]): string | undefined {
  const { name, file } = mutation;
  if (tests.length === 0) return `"${name}" has no tests: there is no area "${mutation.area}".`;
  const missing = [file, ...tests].find((each) => !existsSync(path.join(root, each)));
  if (missing !== undefined) return `"${name}" names ${missing}, which does not exist.`;
  try {
    const mutated = mutate(readFileSync(path.join(root, file), 'utf8'), mutation);
    // A syntax error would be noticed by every test.
    if (!file.endsWith('.sh')) stripTypeScriptTypes(mutated, { mode: 'strip' });
    else if (spawnSync('sh', ['-n'], { input: mutated }).status !== 0)
      return `"${name}" leaves ${file} without its syntax.`;
  } catch (cause) {
    return cause instanceof SyntaxError
      ? `"${name}" leaves ${file} without its syntax: ${cause.message}`
      : (cause as Error).message;
  }
  return undefined;
}

/** Applies the mutation to a checkout, and returns what takes it back. */
export function applyTo(checkout: string, mutation: Mutation): () => void {
  const file = path.join(checkout, mutation.file);
  const source = readFileSync(file, 'utf8');
  const mutated = mutate(source, mutation);
  // The file is replaced rather than written to: should it be a link, its target keeps its content.
  const replace = (text: string) => {
    rmSync(file);
    writeFileSync(file, text);
  };
  replace(mutated);
  return () => replace(source);
}
