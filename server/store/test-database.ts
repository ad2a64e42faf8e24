// Databases for tests: SQLite, or with TEST_DATABASE=postgres a new one for each test in the PostgreSQL of
// TEST_POSTGRES_URL, which `npm run test:engines` starts.
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { openDatabase } from './sqlite.ts';

/** Whether tests use PostgreSQL. */
export const onPostgres = process.env['TEST_DATABASE'] === 'postgres';

export interface TestDatabase {
  url: URL;
  drop: () => Promise<void>;
}

/** Runs one statement as the owner of the server. */
export async function asAdministrator(sql: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: process.env['TEST_POSTGRES_URL'] });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Makes a database with the tables of the present version, which `createTestDatabase` copies from then on, in the test files'
 * processes as well: that takes a third of the time that creating the tables does.
 */
export async function createTemplate(): Promise<void> {
  const { openPostgres } = await import('./postgres.ts');
  const { url } = await createTestDatabase();
  await (await openPostgres(url)).close();
  process.env['TEST_POSTGRES_TEMPLATE'] = url.pathname.slice(1);
}

/** A copy of the template if there is one; an empty database otherwise, and where that is asked for. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = empty ? undefined : process.env['TEST_POSTGRES_TEMPLATE'];
  await asAdministrator(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`);
  const url = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  url.pathname = `/${name}`;
  return { url, drop: () => asAdministrator(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** An open database that disappears when it is closed. */
export async function openTestDatabase(): Promise<Database> {
  if (!onPostgres) return openDatabase(':memory:');
  const { openPostgres } = await import('./postgres.ts');
  const { url, drop } = await createTestDatabase();
  const db = await openPostgres(url);
  return {
    ...db,
    close: async () => {
      await db.close();
      await drop();
    },
  };
}
