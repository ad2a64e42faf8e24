// Adapts the repositories' statements to `pg`: its placeholders, a name for each statement, and rows of the same types
// as SQLite's.
import { types } from 'pg';
import type { CustomTypesConfig, QueryConfig } from 'pg';
import type { SqlValue } from './database.ts';
import { requireStorable } from './postgres-fault.ts';

/** Quoted parts are skipped; `?` is the next parameter, `?3` a numbered one. */
const TOKENS = /'[^']*'|"[^"]*"|\?(\d*)/g;

export function withDollars(sql: string): string {
  let count = 0;
  return sql.replaceAll(TOKENS, (token: string, number?: string) =>
    token.startsWith('?') ? `$${number || ++count}` : token,
  );
}

/** A named statement is prepared once on each connection. */
const known = new Map<string, { name: string; text: string }>();

export function statementOf(sql: string, values: SqlValue[]): QueryConfig {
  let statement = known.get(sql);
  if (!statement) known.set(sql, (statement = { name: `s${known.size}`, text: withDollars(sql) }));
  values.forEach(requireStorable);
  return { ...statement, values };
}

const OIDS = { bool: 16, int8: 20, json: 114, numeric: 1700 } as const;

const PARSERS: Record<number, (text: string) => unknown> = {
  [OIDS.bool]: (text) => (text === 't' ? 1 : 0),
  [OIDS.int8]: Number,
  [OIDS.numeric]: Number,
  // Responses contain the JSON text unchanged.
  [OIDS.json]: (text) => text,
};

export const ROW_TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => PARSERS[oid] ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
};
