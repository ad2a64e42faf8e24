// Facts of devices: what agents report about the machine they run on. Names and values are stored once each: of 40 facts
// most have few values in a whole fleet.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFactName, LONGEST_FACT, MOST_FACTS, reportText } from '#/contract/fact-values.ts';
import type { FactValue } from '#/contract/fact-values.ts';
import type { FactFilter } from '#/contract/facts.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

/** Most problems that are stored of a report, and the longest text of one. */
const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 200;
/** A report that changes nothing is noted again after this time. */
const NOTED_AGAIN_MS = 3_600_000;

/** The facts of a report that can be stored, and why others cannot. A repeated name counts once, with its last value. */
function acceptFacts(given: readonly FactValue[]): { facts: Map<string, string>; problems: string[] } {
  const facts = new Map<string, string>();
  const problems: string[] = [];
  for (const { name, value } of given) {
    if (!isFactName(name))
      problems.push(`"${name.slice(0, 80)}" is not the name of a fact: up to 64 of a to z, 0 to 9, _ and .`);
    else if (value.length > LONGEST_FACT)
      problems.push(`${name} has ${value.length} characters; a value has at most ${LONGEST_FACT}`);
    else if (facts.size >= MOST_FACTS && !facts.has(name))
      problems.push(`${name} is one too many: a device has at most ${MOST_FACTS} facts`);
    else facts.set(name, value.toWellFormed().replaceAll('\u0000', '\uFFFD'));
  }
  return { facts, problems };
}

const NOTE_REPORT = `INSERT INTO fact_reports (device_seq, at, digest, problems) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (device_seq) DO UPDATE SET at = excluded.at, digest = excluded.digest, problems = excluded.problems`;
const REMOVE = perDialect(
  (sql) => `DELETE FROM device_facts WHERE device_seq = ? AND name_seq IN (
    SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);
const ADD_NAMES = perDialect(
  (sql) => `INSERT INTO fact_names (account_id, name) SELECT CAST(? AS BIGINT), w.value FROM ${sql.list('w')}
    WHERE true ON CONFLICT DO NOTHING`,
);
const KNOWN = perDialect(
  (sql) => `SELECT n.name, n.seq AS name_seq, v.seq AS value_seq FROM ${sql.list('w')} CROSS JOIN fact_names n
    LEFT JOIN fact_values v ON v.name_seq = n.seq AND v.value = ${sql.field('w.value', 'value')}
    WHERE n.account_id = ? AND n.name = ${sql.field('w.value', 'name')}`,
);
const ADD_VALUES = perDialect(
  (sql) => `INSERT INTO fact_values (name_seq, value)
    SELECT CAST(${sql.field('w.value', 'name_seq')} AS BIGINT), ${sql.field('w.value', 'value')} FROM ${sql.list('w')}
    WHERE true ON CONFLICT DO NOTHING`,
);
const ADD = perDialect(
  (sql) => `INSERT INTO device_facts (device_seq, name_seq, value_seq, at)
    SELECT CAST(? AS BIGINT), CAST(${sql.field('w.value', 'name_seq')} AS BIGINT),
      CAST(${sql.field('w.value', 'value_seq')} AS BIGINT), CAST(? AS BIGINT) FROM ${sql.list('w')}`,
);

interface ValueRow {
  name: string;
  name_seq: number;
  value_seq: number | null;
}

/** The seqs of these names and values; those that no device had are added. */
async function seqsOf(tx: Tx, accountId: number, facts: ReadonlyMap<string, string>): Promise<ValueRow[]> {
  const read = (some: Iterable<readonly [string, string]>) =>
    tx.all<ValueRow>(KNOWN(tx), JSON.stringify(Array.from(some, ([name, value]) => ({ name, value }))), accountId);
  let rows = await read(facts);
  if (rows.length < facts.size) {
    const known = new Set(rows.map(({ name }) => name));
    await tx.run(ADD_NAMES(tx), accountId, JSON.stringify([...facts.keys()].filter((name) => !known.has(name))));
    rows = await read(facts);
  }
  const missing = rows.filter(({ value_seq }) => value_seq === null);
  if (missing.length === 0) return rows;
  const values = missing.map(({ name, name_seq }) => ({ name_seq, value: facts.get(name) ?? '' }));
  await tx.run(ADD_VALUES(tx), JSON.stringify(values));
  const added = await read(missing.map(({ name }) => [name, facts.get(name) ?? ''] as const));
  return [...rows.filter(({ value_seq }) => value_seq !== null), ...added];
}

/**
 * Replaces the facts of a device by those of a report. What cannot be stored is left out, and listed with the problems
 * that the agent reported. A fact whose value did not change keeps its time. Within a transaction, one call has to end
 * before the next one begins: it may remove a value that the other one is about to use.
 */
export async function storeFacts(
  tx: Tx,
  deviceSeq: number,
  given: readonly FactValue[],
  at: number,
  reported: readonly string[] = [],
): Promise<void> {
  const { facts, problems } = acceptFacts(given);
  const texts = [...reported, ...problems].slice(0, MOST_PROBLEMS).map((each) => each.slice(0, LONGEST_PROBLEM));
  const stored = tx.dialect.storable(JSON.stringify(texts.map((each) => each.toWellFormed())));
  const digest = createHash('sha256').update(reportText(given, reported)).digest('hex');
  const before = await tx.get<{ digest: string; at: number }>(
    'SELECT digest, at FROM fact_reports WHERE device_seq = ?',
    deviceSeq,
  );
  const isSame = before?.digest === digest;
  if (isSame && Math.abs(at - before.at) < NOTED_AGAIN_MS) return;
  const device = await tx.get<{ account_id: number }>('SELECT account_id FROM devices WHERE seq = ?', deviceSeq);
  if (!device) return;
  await tx.run(NOTE_REPORT, deviceSeq, at, digest, stored);
  if (isSame) return;
  const gone: number[] = [];
  for (const { name, value, name_seq } of await factsOf(tx, deviceSeq))
    if (facts.get(name) === value) facts.delete(name);
    else gone.push(name_seq);
  if (gone.length > 0) await tx.run(REMOVE(tx), deviceSeq, JSON.stringify(gone));
  if (facts.size === 0) return;
  await tx.run(ADD(tx), deviceSeq, at, JSON.stringify(await seqsOf(tx, device.account_id, facts)));
}

// ---- Reading -------------------------------------------------------------------------------------------------------

export interface FactRow extends FactValue {
  name_seq: number;
  /** Since when it has this value. */
  at: number;
}

/** The facts of a device by name. */
export async function factsOf(db: Reader, deviceSeq: number): Promise<FactRow[]> {
  // PostgreSQL would read all values for a join, if it had no statistics.
  const rows = await db.all<FactRow>(
    `SELECT (SELECT name FROM fact_names WHERE seq = name_seq) AS name,
       (SELECT value FROM fact_values WHERE seq = value_seq) AS value, name_seq, at
     FROM device_facts WHERE device_seq = ?`,
    deviceSeq,
  );
  return rows.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The last report of a device, with the problems that it had. */
export async function reportOf(db: Reader, deviceSeq: number): Promise<{ at: number; problems: string[] } | undefined> {
  const row = await db.get<{ at: number; problems: string }>(
    'SELECT at, problems FROM fact_reports WHERE device_seq = ?',
    deviceSeq,
  );
  return row && { at: row.at, problems: JSON.parse(row.problems) as string[] };
}

/** The digest of the last report of a device; '' if there was none. */
export const reportDigest = async (db: Reader, deviceSeq: number): Promise<string> =>
  (await db.get<{ digest: string }>('SELECT digest FROM fact_reports WHERE device_seq = ?', deviceSeq))?.digest ?? '';

/** The names of all facts of an account. */
export const factNames = async (db: Reader, accountId: number): Promise<string[]> =>
  (await db.all<{ name: string }>('SELECT name FROM fact_names WHERE account_id = ? ORDER BY name', accountId)).map(
    ({ name }) => name,
  );

const NAMES_AMONG = perDialect(
  (sql) => `SELECT name FROM fact_names WHERE seq IN (SELECT f.name_seq FROM ${sql.list('w')}
    CROSS JOIN device_facts f WHERE f.device_seq = CAST(w.value AS BIGINT))`,
);

/** The names of the facts of these devices. */
export const factNamesAmong = async (db: Reader, seqs: readonly number[]): Promise<string[]> =>
  (await db.all<{ name: string }>(NAMES_AMONG(db), JSON.stringify(seqs))).map(({ name }) => name);

const VALUES_AMONG = perDialect(
  (sql) => `SELECT d.id, f.value_seq FROM ${sql.list('w')} CROSS JOIN device_facts f CROSS JOIN devices d
    WHERE f.device_seq = CAST(w.value AS BIGINT) AND f.name_seq = ? AND d.seq = f.device_seq`,
);
const TEXTS = perDialect(
  (sql) => `SELECT seq, value FROM fact_values WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);

const nameSeq = async (db: Reader, accountId: number, name: string): Promise<number | undefined> =>
  (await db.get<{ seq: number }>('SELECT seq FROM fact_names WHERE account_id = ? AND name = ?', accountId, name))?.seq;

/** Adds the ids of those among these devices that have the fact to `found`, by its value. */
export async function addFactValues(
  db: Reader,
  { accountId, name, seqs }: { accountId: number; name: string; seqs: readonly number[] },
  found: Map<number, { value: string; ids: string[] }>,
): Promise<void> {
  const of = await nameSeq(db, accountId, name);
  if (of === undefined) return;
  const rows = await db.all<{ id: string; value_seq: number }>(VALUES_AMONG(db), JSON.stringify(seqs), of);
  const missing = new Set(rows.map((row) => row.value_seq).filter((seq) => !found.has(seq)));
  if (missing.size > 0)
    for (const { seq, value } of await db.all<{ seq: number; value: string }>(TEXTS(db), JSON.stringify([...missing])))
      found.set(seq, { value, ids: [] });
  for (const { id, value_seq } of rows) found.get(value_seq)?.ids.push(id);
}

/** Values counted at a time; other requests run in between. */
const COUNTED_AT_ONCE = 500;

/** How many devices of the scope have each value of a fact, the most frequent first, and how many values there are. */
export async function countFactValues(
  db: Reader,
  scope: Scope,
  name: string,
  limit: number,
): Promise<{ rows: { value: string; devices: number }[]; total: number }> {
  const of = await nameSeq(db, scope.accountId, name);
  // A join would be of all devices in PostgreSQL, for each value.
  const own = inGroups(db.dialect, scope, '(SELECT grp FROM devices WHERE seq = f.device_seq)');
  const counted = `device_facts f WHERE f.value_seq = v.seq${own.sql}`;
  const counts = (after: '>' | '>=') => `SELECT v.value, (SELECT count(*) FROM ${counted}) AS devices FROM fact_values v
    WHERE v.name_seq = ? AND v.value ${after} ? ORDER BY v.value LIMIT ${COUNTED_AT_ONCE}`;
  const found: { value: string; devices: number }[] = [];
  if (of === undefined) return { rows: [], total: 0 };
  const read = (from: '>' | '>=', value: string) =>
    db.all<{ value: string; devices: number }>(counts(from), ...own.values, of, value);
  for (let rows = await read('>=', ''); ;) {
    found.push(...rows.filter(({ devices }) => devices > 0));
    const last = rows.at(-1);
    if (!last || rows.length < COUNTED_AT_ONCE) break;
    await nextTurn();
    rows = await read('>', last.value);
  }
  found.sort((one, other) => other.devices - one.devices || (one.value < other.value ? -1 : 1));
  return { rows: found.slice(0, limit), total: found.length };
}

/** More devices than this are not counted to find the rarest of several values. */
const MANY = 5_000;

/** The conditions of a filter by facts: the seqs of the values, the rarest first. */
export interface FactConditions {
  valueSeqs: number[];
  /** Whether every value is that of many devices. */
  areMany: boolean;
}

/** Undefined if a value is that of no device. */
export async function factConditions(
  db: Reader,
  accountId: number,
  filter: FactFilter,
): Promise<FactConditions | undefined> {
  const found: { seq: number; devices: number }[] = [];
  for (const [name, value] of Object.entries(filter)) {
    const row = await db.get<{ seq: number; devices: number }>(
      `SELECT seq, (SELECT count(*) FROM (SELECT 1 FROM device_facts WHERE value_seq = fact_values.seq LIMIT ${MANY}) AS counted) AS devices
       FROM fact_values WHERE name_seq = (SELECT seq FROM fact_names WHERE account_id = ? AND name = ?) AND value = ?`,
      accountId,
      name,
      value,
    );
    if (!row) return undefined;
    found.push(row);
  }
  found.sort((one, other) => one.devices - other.devices);
  return { valueSeqs: found.map(({ seq }) => seq), areMany: (found[0]?.devices ?? 0) >= MANY };
}
