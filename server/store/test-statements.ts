// The statements of the store, collected from its code: every exported function is called with stand-ins for its
// arguments, and a database that notes each statement instead of running it.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database, Tx } from './database.ts';
import type { Dialect } from './dialect.ts';

/** What has no statements of the service's database: engines, tables, files, and the database of a gateway. */
const OTHERS =
  /^(?:.*test.*|schema.*|upgrades|job-states|reported-changes|postgres.*|sqlite|database.*|s3-.*|lock|write-queue|reclaim|last-run|disk-space|artifact-f.*)\.ts$/;

/** A loop that reads until nothing is left ends with an error after so many statements. */
const MOST = 20;

type Call = (...args: unknown[]) => unknown;

export interface Statement {
  sql: string;
  /** File and exported function. */
  from: string;
}

/** Stands in for any argument or row: a number, a text, a list of one item, an object of such fields, or a function. */
function anything(depth = 0): never {
  const next = () => anything(depth + 1);
  const overItem = (each: unknown) => (typeof each === 'function' ? [(each as Call)(next(), 0)] : [next()]);
  const text = (
    name: 'trim' | 'normalize' | 'toUpperCase' | 'toLowerCase' | 'toWellFormed' | 'replaceAll' | 'replace',
  ) => [name, () => 'a'] as const;
  const known: Record<string | symbol, unknown> = {
    [Symbol.toPrimitive]: (hint: string) => (hint === 'string' ? '1' : 1),
    [Symbol.iterator]: function* () {
      if (depth < 4) yield next();
    },
    toJSON: () => 1,
    length: 1,
    size: 1,
    map: overItem,
    flatMap: overItem,
    filter: () => [next()],
    slice: () => [next()],
    toSorted: () => [next()],
    some: () => true,
    every: () => true,
    has: () => true,
    includes: () => true,
    ...Object.fromEntries(
      (['trim', 'normalize', 'toUpperCase', 'toLowerCase', 'toWellFormed', 'replaceAll', 'replace'] as const).map(text),
    ),
  };
  return new Proxy(() => {}, {
    // It is not a promise.
    get: (_, key) => (key === 'then' ? undefined : key in known ? known[key] : next()),
    has: () => true,
    apply: next,
  }) as never;
}

/** A database that runs nothing. It finds one row for each query, or none. */
function noting(dialect: Dialect, finds: boolean, note: (sql: string) => void): Database & Tx {
  let count = 0;
  const noted = (sql: string) => {
    if (++count > MOST) throw new Error('This reads on and on');
    note(sql);
  };
  const db: Database & Tx = {
    dialect,
    get: async (sql) => (noted(sql), finds ? anything() : undefined),
    all: async (sql) => (noted(sql), finds ? [anything()] : []),
    run: async (sql) => (noted(sql), { changes: finds ? 1 : 0 }),
    write: async (unit) => unit(db),
    version: async () => '1.1',
    afterCommit: () => {},
    bump: () => {},
    syncAgents: () => {},
    onSyncAgents: () => {},
    migrations: async () => ({ at: 0, steps: 0 }),
    waiting: () => 0,
    openReader: () => db,
    close: async () => {},
  };
  return db;
}

/** Calls one exported function on a database. */
export type Example = (call: Call, db: Database & Tx) => unknown;

/** The joining and sorting statements of all exported functions; `examples` are calls of those that need their own. */
export async function statementsOf(
  dialect: Dialect,
  examples: Record<string, readonly Example[]> = {},
): Promise<Statement[]> {
  const found = new Map<string, Statement>();
  const unused = new Set(Object.keys(examples));
  for (const file of storeFiles()) {
    const exported = (await import(path.join(import.meta.dirname, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== 'function' || String(value).startsWith('class')) continue;
      const from = `${file} ${name}`;
      unused.delete(from);
      const call = value as Call;
      for (const each of examples[from] ?? [(_, db) => call(db, ...Array.from({ length: 5 }, () => anything()))])
        for (const finds of [false, true]) {
          const db = noting(dialect, finds, (sql) => {
            const key = withoutBreaks(sql);
            if (isPlanned(key) && !found.has(key)) found.set(key, { sql, from });
          });
          await endOf(() => each(call, db));
        }
    }
  }
  if (unused.size > 0) throw new Error(`No such function: ${[...unused].join(', ')}`);
  return [...found.values()];
}

/** Runs a call, then the methods of what it returns. A stand-in may be refused: what ran until then is noted. */
async function endOf(call: () => unknown): Promise<void> {
  try {
    const result: unknown = await call();
    if (typeof result !== 'object' || result === null || Array.isArray(result)) return;
    for (const method of Object.values(result))
      if (typeof method === 'function') await endOf(() => (method as Call)(anything(), anything(), anything()));
  } catch {
    // Expected: see above.
  }
}

const storeFiles = () =>
  globSync('*.ts', { cwd: import.meta.dirname })
    .filter((file) => !OTHERS.test(file))
    .toSorted();

const withoutBreaks = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

/** Whether the planner has a choice of orders or indexes that depends on more than one condition. */
const isPlanned = (sql: string) =>
  /\bJOIN\b|\bORDER BY\b|\bGROUP BY\b|\bEXISTS\b|\bDISTINCT\b|\bIN \( ?SELECT\b/.test(sql);

/** Pieces of SQL in the store's sources that join or sort and are in none of these statements. */
export function uncollected(statements: readonly Statement[]): string[] {
  const all = statements.map(({ sql }) => withoutBreaks(sql)).join('\n');
  return storeFiles().flatMap((file) =>
    readFileSync(path.join(import.meta.dirname, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => line.split(/\$\{[^}]*\}|[`"']/))
      .map(withoutBreaks)
      .filter((piece) => /\bJOIN [a-z(]|\bORDER BY\b/.test(piece) && !all.includes(piece))
      .map((piece) => `${file}: ${piece}`),
  );
}
