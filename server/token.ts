// `npm run token`: lists, makes and revokes API tokens straight in the data folder, so that a lost token locks nobody
// out. Works beside a running service, which obeys at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { printSqlTime } from '#/contract/timestamps.ts';
import { openAudit } from './audit.ts';
import type { Caller } from './audit.ts';
import { ConfigError, readConfig } from './config.ts';
import { Problem } from './problem.ts';
import { FIRST_ACCOUNT, readAccount } from './store/accounts.ts';
import { openDatabase } from './store/database.ts';
import type { Database } from './store/database.ts';
import { listTokens, makeToken, revokeToken } from './store/tokens.ts';

const USAGE = `
  npm run token                   lists the tokens
  npm run token -- make NAME      makes one and shows it, once
  npm run token -- revoke ID      ends one, and the sessions that were opened with it`;

/** A mistake of the person at the keyboard: the message is all there is to say. */
class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (cause) {
  if (cause instanceof Problem) console.error(`${cause.message}. ${cause.detail ?? ''}`);
  else if (cause instanceof UsageError || cause instanceof ConfigError) console.error(cause.message);
  else throw cause;
  process.exitCode = 1;
}

async function run([command = 'list', ...rest]: string[]): Promise<void> {
  const argument = rest.join(' ').trim();
  const known = ['list', 'make', 'revoke'].includes(command);
  if (!known || (command === 'list') !== (argument === '')) throw new UsageError(`Usage:${USAGE}`);

  const { dataDir } = readConfig(process.env);
  const file = path.join(dataDir, 'muster.db');
  if (!existsSync(file))
    throw new UsageError(
      `There is no data in ${dataDir} yet: start the service once, or set DATA_DIR to the folder it uses.`,
    );
  const db = openDatabase(file);
  try {
    if (command === 'list') list(db);
    else await (command === 'make' ? make(db, argument) : revoke(db, argument));
  } finally {
    await db.close();
  }
}

function list(db: Database): void {
  const day = (time: number | null) => (time === null ? 'never' : `${printSqlTime(new Date(time))} UTC`);
  const head = ['ID', 'BEGINS', 'CREATED', 'LAST USED', 'NAME'];
  const rows = listTokens(db, FIRST_ACCOUNT).map(({ id, prefix, created, last_used, name }) => [
    id,
    `${prefix}…`,
    day(created),
    day(last_used),
    printable(name),
  ]);
  const widths = head.map((word, column) => Math.max(word.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  if (rows.length === 0) console.log(`There is no token. Make one with: npm run token -- make NAME`);
}

async function make(db: Database, name: string): Promise<void> {
  if (name.length > 255) throw new UsageError('The name of a token may have at most 255 characters.');
  const { secret } = await db.write((tx) => {
    const made = makeToken(tx, FIRST_ACCOUNT, name, Date.now());
    openAudit(Date.now).record(tx, operator(db), 'token.create', made.id);
    return made;
  });
  console.log(`${secret}\n(shown this once)`);
}

async function revoke(db: Database, id: string): Promise<void> {
  await db.write((tx) => {
    revokeToken(tx, FIRST_ACCOUNT, id, Date.now());
    openAudit(Date.now).record(tx, operator(db), 'token.revoke', id);
  });
  console.log('Revoked.');
}

/** Whoever may write the data folder; there is no network address to tell. */
function operator(db: Database): Caller {
  const email = readAccount(db, FIRST_ACCOUNT)?.UserEmail ?? '';
  return { account: { id: FIRST_ACCOUNT, email }, actor: 'operator', address: 'local' };
}

/** A name as it may be printed: without the control characters that would move the cursor. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}
