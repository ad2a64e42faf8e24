// An in-memory index for substring search in names: a database has to read all names for that, while searching 100,000
// short texts in memory takes a millisecond, however short the substring. Names are concatenated into a few long texts,
// so a search is a few calls of `indexOf`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { changesBetween, currentPosition } from './changes.ts';
import type { ChangeKind, Position } from './changes.ts';
import type { Database } from './database.ts';
import { perDialect } from './dialect.ts';
import { fold } from '#/contract/fold.ts';

/** The texts that a row is found by: its folded name and its id. */
export interface Named {
  seq: number;
  texts: readonly string[];
}

export interface NameSource {
  /** The rows of an account after `seq`, in order. */
  after(db: Database, accountId: number, seq: number, limit: number): Promise<Named[]>;
  /** How a changed name is noticed; undefined if names never change. */
  renames?: {
    /** The version name that is bumped with each change of a name. */
    version: string;
    kind: ChangeKind;
    /** The rows with these seqs that exist. */
    ofList(db: Database, seqs: readonly number[]): Promise<Named[]>;
  };
}

/** A folded substring for each text of a row; '' and undefined match any. */
export type Parts = readonly (string | undefined)[];

export interface NameIndex {
  /**
   * The first `limit` rows whose texts contain these substrings, in order of seq, or backwards from `before`. The
   * result may include deleted rows, which the caller notices when it reads the rows.
   */
  find(
    accountId: number,
    parts: Parts,
    range: {
      before?: number;
      after?: number;
      limit: number;
      /** Finds only these seqs, which are in order. */
      among?: readonly number[] | undefined;
    },
  ): Promise<number[]>;
}

/** Rows per chunk, and rows read at a time: other requests run in between. */
const CHUNK_ROWS = 500;
/** The most changes searched for renamed rows; beyond that, all names are read again. */
const MAX_CHANGES = 10_000;
/** The index is rebuilt after this time, which removes deleted rows. */
const KEPT_MS = 3_600_000;

/** Several texts concatenated into one. */
class Joined {
  readonly #text: string;
  /** The start of each text, and the end of the last one. */
  readonly #starts: number[] = [];

  constructor(texts: readonly string[]) {
    let at = 0;
    for (const text of texts) {
      this.#starts.push(at);
      at += text.length;
    }
    this.#starts.push(at);
    this.#text = texts.join('');
  }

  at(row: number): string {
    return this.#text.slice(this.#starts[row], this.#starts[row + 1]);
  }

  /** The indexes of the texts that contain this substring. */
  find(part: string): number[] {
    const rows: number[] = [];
    let row = 0;
    for (let at = this.#text.indexOf(part); at !== -1;) {
      while (this.#endOf(row) <= at) row++;
      // A match may span two texts.
      const isWithin = at + part.length <= this.#endOf(row);
      if (isWithin) rows.push(row);
      at = this.#text.indexOf(part, isWithin ? this.#endOf(row) : at + 1);
    }
    return rows;
  }

  #endOf(row: number): number {
    return this.#starts[row + 1] ?? Infinity;
  }
}

class Chunk {
  readonly rows: readonly Named[];
  readonly seqs: readonly number[];
  readonly #joined: Joined[];

  constructor(rows: readonly Named[]) {
    this.seqs = rows.map(({ seq }) => seq);
    const count = rows[0]?.texts.length ?? 0;
    const joined = Array.from({ length: count }, (_, at) => new Joined(rows.map(({ texts }) => texts[at] ?? '')));
    this.#joined = joined;
    // A getter, so that the long texts remain the only copy of the names.
    this.rows = rows.map(({ seq }, row) => ({
      seq,
      get texts() {
        return joined.map((each) => each.at(row));
      },
    }));
  }

  find(parts: Parts): readonly number[] {
    let found: number[] | undefined;
    for (const [at, part] of parts.entries()) {
      if (!part) continue;
      const rows = this.#joined[at]?.find(part) ?? [];
      const matches: Set<number> | undefined = found && new Set(rows);
      found = matches && found ? found.filter((row) => matches.has(row)) : rows;
      if (found.length === 0) return [];
    }
    return found === undefined ? this.seqs : found.map((row) => this.seqs[row] ?? 0);
  }
}

interface Names {
  chunks: Chunk[];
  position: Position;
  renamed: string;
  readAt: number;
}

export function openNameIndex(db: Database, source: NameSource): NameIndex {
  const accounts = new Map<number, Promise<Names>>();
  const { renames } = source;
  const versionOf = async () => (renames ? db.version(renames.version) : '');
  const lastOf = (chunks: readonly Chunk[]) => chunks.at(-1)?.seqs.at(-1) ?? 0;

  /** Adds the rows after the last known one. */
  const extend = async (accountId: number, names: Names): Promise<Names> => {
    const { chunks } = names;
    for (;;) {
      const rows = await source.after(db, accountId, lastOf(chunks), CHUNK_ROWS);
      if (rows.length === 0) return names;
      const last = chunks.at(-1);
      if (last && last.rows.length + rows.length <= CHUNK_ROWS)
        chunks[chunks.length - 1] = new Chunk([...last.rows, ...rows]);
      else chunks.push(new Chunk(rows));
      if (rows.length < CHUNK_ROWS) return names;
      await nextTurn();
    }
  };
  const readAll = async (accountId: number): Promise<Names> => {
    const [renamed, position] = [await versionOf(), await currentPosition(db)];
    return extend(accountId, { chunks: [], position, renamed, readAt: performance.now() });
  };
  const rename = (names: Names, rows: readonly Named[]): void => {
    const changed = new Map(rows.map((row) => [row.seq, row]));
    for (const [at, chunk] of names.chunks.entries())
      if (chunk.seqs.some((seq) => changed.has(seq)))
        names.chunks[at] = new Chunk(chunk.rows.map((row) => changed.get(row.seq) ?? row));
  };
  const refresh = async (accountId: number, names: Names | undefined): Promise<Names> => {
    if (!names || performance.now() - names.readAt > KEPT_MS) return readAll(accountId);
    const renamed = await versionOf();
    if (renames && renamed !== names.renamed) {
      const to = await currentPosition(db);
      const isTooMuch = to.seq - names.position.seq > MAX_CHANGES;
      const changes = isTooMuch ? undefined : await changesBetween(db, accountId, names.position, to);
      if (!changes) return readAll(accountId);
      const seqs = new Set(changes.filter(({ kind }) => kind === renames.kind).map(({ object }) => object));
      rename(names, await renames.ofList(db, [...seqs]));
      names.position = to;
      names.renamed = renamed;
    }
    return extend(accountId, names);
  };
  /** Reads the names of an account once at a time. */
  const namesOf = (accountId: number): Promise<Names> => {
    const before = accounts.get(accountId);
    const names = (before ?? Promise.resolve(undefined)).then((known) => refresh(accountId, known));
    accounts.set(accountId, names);
    // A failed read is repeated by the next search.
    names.catch(() => accounts.get(accountId) === names && accounts.delete(accountId));
    return names;
  };

  return {
    find: async (accountId, parts, { before = Infinity, after = 0, limit, among }) => {
      const { chunks } = await namesOf(accountId);
      const isBackwards = before !== Infinity;
      const found: number[] = [];
      for (const chunk of isBackwards ? chunks.toReversed() : chunks) {
        if ((chunk.seqs[0] ?? 0) >= before || (chunk.seqs.at(-1) ?? 0) <= after) continue;
        const seqs = chunk.find(parts);
        for (const seq of isBackwards ? seqs.toReversed() : seqs) {
          if (seq >= before || seq <= after || (among && !isAmong(among, seq))) continue;
          found.push(seq);
          if (found.length === limit) return found;
        }
      }
      return found;
    },
  };
}

/** Whether a sorted list has this number. */
function isAmong(sorted: readonly number[], number: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === number;
}

// ---- What is found by its name ---------------------------------------------------------------------------------------

/** Bumped with each change of a device's name. */
export const DEVICES_RENAMED = 'devices renamed';

interface DeviceRow {
  seq: number;
  id: string;
  name: string;
}
const DEVICES = 'SELECT seq, id, name_folded AS name FROM devices';
const DEVICES_OF_LIST = perDialect(
  (sql) => `${DEVICES} WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')})`,
);
const namedDevice = ({ seq, id, name }: DeviceRow): Named => ({ seq, texts: [name, id] });

/** Devices by name and id. */
export const NAMED_DEVICES = {
  after: async (db, accountId, seq, limit) =>
    (
      await db.all<DeviceRow>(`${DEVICES} WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?`, accountId, seq, limit)
    ).map(namedDevice),
  renames: {
    version: DEVICES_RENAMED,
    kind: 'device',
    ofList: async (db, seqs) => (await db.all<DeviceRow>(DEVICES_OF_LIST(db), JSON.stringify(seqs))).map(namedDevice),
  },
} satisfies NameSource;

/** Entries of the audit log that removed an object, by the name that it had. */
export const NAMED_REMOVALS: NameSource = {
  after: async (db, accountId, seq, limit) =>
    (
      await db.all<{ seq: number; name: string }>(
        `SELECT seq, removed_name AS name FROM audit
         WHERE account_id = ? AND removed_name <> '' AND seq > ? ORDER BY seq LIMIT ?`,
        accountId,
        seq,
        limit,
      )
    ).map((row) => ({ seq: row.seq, texts: [fold(row.name)] })),
};

/** Single jobs and parents by name, archived ones included. */
export const NAMED_JOBS: NameSource = {
  after: async (db, accountId, seq, limit) =>
    (
      await db.all<{ seq: number; name: string }>(
        'SELECT seq, name FROM jobs WHERE account_id = ? AND parent_seq IS NULL AND seq > ? ORDER BY seq LIMIT ?',
        accountId,
        seq,
        limit,
      )
    ).map((row) => ({ seq: row.seq, texts: [fold(row.name)] })),
};
