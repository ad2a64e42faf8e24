// Versions of tables and of names, shared by all nodes: an in-memory copy remembers the version that it was read at.
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';

/** Part of every version: changes whenever a database is opened, because it may have been restored from a backup. */
const OPENING = 'opening';

const VERSION = perDialect(
  (sql) => `SELECT sum(versions.value) AS version FROM versions JOIN ${sql.list('asked')} ON asked.value = name`,
);

/** See Database.version. */
export const versionOf = async (db: Reader, names: string[]): Promise<string> =>
  String((await db.get<{ version: number | null }>(VERSION(db), JSON.stringify([OPENING, ...names])))?.version ?? 0);

/** Steps are random, so that a database that is restored under running nodes does not reach the same values again. */
const STEP = 'CAST(1 + floor(random() * 65536) AS BIGINT)';
const BUMP = perDialect(
  (sql) => `INSERT INTO versions (name, value) SELECT value, ${STEP} FROM ${sql.list('changed')} WHERE true
    ON CONFLICT (name) DO UPDATE SET value = versions.value + ${STEP}`,
);

export async function bumpVersions(tx: Tx, names: Iterable<string>): Promise<void> {
  await tx.run(BUMP(tx), JSON.stringify([...names]));
}

/** Changes all versions to values that were never used. */
export const renewVersions = (tx: Tx) =>
  tx.run(
    `INSERT INTO versions (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = versions.value + excluded.value`,
    OPENING,
    Math.floor(Math.random() * 2 ** 40),
  );
