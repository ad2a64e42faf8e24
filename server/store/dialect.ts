// The few pieces of SQL that SQLite and PostgreSQL spell differently. All other statements use what both understand:
// coalesce, CASE, ON CONFLICT, `LIMIT ${NO_LIMIT}`, quoted "camelCase" aliases and "offset" (PostgreSQL folds the case
// of plain names, and reserves that one).

export interface Dialect {
  /** A JSON object; the values are SQL expressions. */
  jsonObject: (fields: Record<string, string>) => string;
  /** Aggregates rows to a JSON array, empty without rows; a JSON object stays one. */
  jsonArray: (item: string) => string;
  /** The JSON array of a subquery, as a value inside a JSON object. */
  jsonOf: (subquery: string) => string;
  /** Milliseconds since the epoch as the contract's time. */
  isoTime: (column: string) => string;
  /** A table of the elements of a parameter, which is a JSON array: text in `value`, the position in `key`. */
  list: (alias: string) => string;
  /** A field of such an element that is a JSON object, as text. */
  field: (value: string, name: string) => string;
  /** The part of a text before the first `mark`, which the text must contain. */
  before: (column: string, mark: string) => string;
  /** The bytes of a column followed by those of the first parameter. */
  appended: (column: string) => string;
  /**
   * Whether a column has one of a few values, found by its index. PostgreSQL expects ten values from an array, but from
   * a subquery without statistics so many that it reads the whole table instead.
   */
  among: (column: string, subquery: string) => string;
  /** Names the index to use, where the planner would choose a worse one. */
  indexedBy: (index: string) => string;
  /** The output of a program in a form that the database can store. */
  storable: (text: string) => string;
}

/** For LIMIT: all rows. SQLite then keeps the order of a subquery. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const pairs = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ');

export const sqliteDialect: Dialect = {
  jsonObject: (fields) => `json_object(${pairs(fields)})`,
  jsonArray: (item) => `json_group_array(${item})`,
  jsonOf: (subquery) => `json((${subquery}))`,
  isoTime: (column) => `strftime('%Y-%m-%dT%H:%M:%f+00:00', ${column} / 1000.0, 'unixepoch')`,
  list: (alias) => `json_each(?) ${alias}`,
  field: (value, name) => `(${value} ->> '${name}')`,
  before: (column, mark) => `substr(${column}, 1, instr(${column}, '${mark}') - 1)`,
  // For two blobs, || returns a text of the same bytes.
  appended: (column) => `CAST(${column} || ?1 AS BLOB)`,
  among: (column, subquery) => `${column} IN (${subquery})`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  storable: (text) => text,
};

export const postgresDialect: Dialect = {
  jsonObject: (fields) => `json_build_object(${pairs(fields)})`,
  jsonArray: (item) => `coalesce(json_agg(${item}), '[]')`,
  jsonOf: (subquery) => `(${subquery})`,
  isoTime: (column) =>
    `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"')`,
  list: (alias) => `json_array_elements_text(CAST(? AS json)) WITH ORDINALITY ${alias} (value, key)`,
  field: (value, name) => `(CAST(${value} AS json) ->> '${name}')`,
  before: (column, mark) => `split_part(${column}, '${mark}', 1)`,
  appended: (column) => `${column} || CAST(?1 AS BYTEA)`,
  among: (column, subquery) => `${column} = ANY (ARRAY(${subquery}))`,
  indexedBy: () => '',
  // PostgreSQL has no text with U+0000.
  storable: (text) => text.replaceAll('\u0000', '\uFFFD'),
};

/** A statement that depends on the dialect: its text is made once for each. */
export function perDialect(make: (dialect: Dialect) => string): (db: { dialect: Dialect }) => string {
  const made = new Map<Dialect, string>();
  return ({ dialect }) => {
    let sql = made.get(dialect);
    if (sql === undefined) made.set(dialect, (sql = make(dialect)));
    return sql;
  };
}
