// Where the tables are, if not in DATA_DIR: DATABASE_URL.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
import { ConfigError } from './config-error.ts';

/** The errors do not repeat the text, because it may contain a password. */
export function readDatabaseUrl(text: string | undefined): URL | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hash)
    throw new ConfigError(
      'DATABASE_URL must be the address of a PostgreSQL database, like postgres://user:password@host:5432/muster.',
    );
  if (url.pathname.length < 2) throw new ConfigError('DATABASE_URL names no database: add one, like /muster.');
  return url;
}

/** The address of a database without its password. */
export function placeOf(url: URL): string {
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return shown.href;
}
