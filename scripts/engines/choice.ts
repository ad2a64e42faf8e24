// Which tests run on PostgreSQL, by what they import: a new file needs no entry.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** What gives a test its database, or starts a PostgreSQL for it. */
const DATABASES = ['server/store/test-database.ts', 'scripts/engines/postgres-server.ts'];

/**
 * Tests of the store, of several nodes and of backups, and those that look behind the API into one of them or kill the
 * service while it writes: what they show depends on the engine. Other tests send statements that these have tried.
 */
const PLACES = /^server\/(store|cluster|backup)\//;
const REACHES = /^server\/(store\/|cluster\/|test-killable\.ts)|^scripts\/engines\//;

/** What PostgreSQL has no part in though it has a database, by the beginning of the path. */
export const LEFT_OUT: Record<string, string> = {
  'server/api/full-disk.test.ts': 'the disk of the embedded database',
  'server/store/last-run.test.ts': "writes to the embedded database's file",
  'server/proxy/': 'gateways, which store sessions in SQLite',
  'server/http/': 'refuses or describes requests before the database is asked',
};

export interface Choice {
  /** What every landing runs. */
  landing: string[];
  /** What reaches PostgreSQL only by the statements of the service. */
  others: string[];
}

export function choose(): Choice {
  const known = new Map<string, string[]>();
  const importsOf = (file: string): string[] => {
    let found = known.get(file);
    if (!found) known.set(file, (found = readImports(file)));
    return found;
  };
  const reached = (file: string, found = new Set<string>()): Set<string> => {
    if (found.has(file)) return found;
    found.add(file);
    for (const imported of importsOf(file)) reached(imported, found);
    return found;
  };
  const withDatabase = globSync('server/**/*.test.ts', { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .filter((file) => !Object.keys(LEFT_OUT).some((start) => file.startsWith(start)))
    .filter((file) => DATABASES.some((source) => reached(file).has(source)));
  const isForLanding = (file: string) =>
    PLACES.test(file) || importsOf(file).some((imported) => REACHES.test(imported));
  return {
    landing: withDatabase.filter(isForLanding),
    others: withDatabase.filter((file) => !isForLanding(file)),
  };
}

/** The files that a file of ours imports; types included. */
function readImports(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g)]
    .map(([, name = '']) => path.posix.join(path.posix.dirname(file), name))
    .filter((imported) => !imported.endsWith('.d.ts'));
}
