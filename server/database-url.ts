// Where the tables are, if not in DATA_DIR: DATABASE_URL.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
import { ConfigError } from './config-error.ts';

/** `setting` is where the text comes from. The errors do not repeat it, because it may contain a password. */
export function readDatabaseUrl(text: string | undefined, setting = 'DATABASE_URL'): URL | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hash)
    throw new ConfigError(
      `${setting} must be the address of a PostgreSQL database, like postgres://user:password@host:5432/muster.`,
    );
  if (url.pathname.length < 2) throw new ConfigError(`${setting} names no database: add one, like /muster.`);
  return url;
}

/** Backup files are of the embedded database and its artifacts. */
export function refuseDatabaseUrl(text: string | undefined, program: string): void {
  if (readDatabaseUrl(text))
    throw new ConfigError(
      `DATABASE_URL is set, but this command is for the embedded database: use PostgreSQL's ${program} (docs/backup.md).`,
    );
}

/** The address of a database without its password. */
export function placeOf(url: URL): string {
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return shown.href;
}
