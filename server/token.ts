// `npm run token`: manages API tokens, sessions and sign-in links directly in the data folder, so that a lost token
// locks nobody out. It works beside a running service, and takes effect at once.
import { printSqlTime } from '#/contract/timestamps.ts';
import { openAudit } from './store/audit.ts';
import type { Actor } from './store/caller.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { publicUrlOf } from './http/listen.ts';
import { openExisting } from './open-existing.ts';
import { StoreError } from './store/errors.ts';
import { FIRST_ACCOUNT, readAccount } from './store/accounts.ts';
import type { Database } from './store/database.ts';
import { endSession, endSessions, listSessions, createSigninCode } from './store/sessions.ts';
import { listTokens, createToken, revokeToken } from './store/tokens.ts';

const USAGE = `
  npm run token                   lists the tokens
  npm run token -- make NAME      makes one and shows it, once
  npm run token -- revoke ID      ends one, and the sessions that were opened with it
  npm run token -- sessions       lists the browsers that are signed in
  npm run token -- end ID         signs one out
  npm run token -- end all        signs all of them out
  npm run token -- link           prints a new sign-in link: it works once, for 10 minutes`;

/** The commands, and whether they take a value. */
const COMMANDS: Record<string, { takesValue: boolean; run: (db: Database, value: string, config: Config) => unknown }> =
  {
    list: { takesValue: false, run: list },
    make: { takesValue: true, run: make },
    revoke: { takesValue: true, run: revoke },
    sessions: { takesValue: false, run: sessions },
    end: { takesValue: true, run: end },
    link: { takesValue: false, run: (db, _value, config) => link(db, config) },
  };

/** An error of the user: the message is the whole explanation. */
class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (cause) {
  if (cause instanceof StoreError) console.error(`${cause.message}. ${cause.detail ?? ''}`);
  else if (cause instanceof UsageError || cause instanceof ConfigError) console.error(cause.message);
  else throw cause;
  process.exitCode = 1;
}

async function run([name = 'list', ...rest]: string[]): Promise<void> {
  const value = rest.join(' ').trim();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command?.takesValue !== (value !== '')) throw new UsageError(`Usage:${USAGE}`);

  const config = readConfig(process.env);
  const db = await openExisting(config);
  try {
    await command.run(db, value, config);
  } finally {
    await db.close();
  }
}

async function list(db: Database): Promise<void> {
  const rows = (await listTokens(db, FIRST_ACCOUNT)).map(({ id, prefix, created, last_used, name }) => [
    id,
    `${prefix}…`,
    day(created),
    day(last_used),
    printable(name),
  ]);
  printTable(['ID', 'BEGINS', 'CREATED', 'LAST USED', 'NAME'], rows);
  if (rows.length === 0) console.log('There is no token. Make one with: npm run token -- make NAME');
}

async function sessions(db: Database): Promise<void> {
  const rows = (await listSessions(db, FIRST_ACCOUNT, Date.now())).map(
    ({ id, prefix, name, created, last_used, address }) => [
      id,
      day(created),
      day(last_used),
      printable(address),
      prefix === null ? 'sign-in link' : `token ${prefix}… ${printable(name ?? '')}`,
    ],
  );
  printTable(['ID', 'SIGNED IN', 'LAST USED', 'FROM', 'BY'], rows);
  if (rows.length === 0) console.log('Nobody is signed in.');
}

function day(time: number | null): string {
  return time === null ? 'never' : `${printSqlTime(new Date(time))} UTC`;
}

function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((word, column) => Math.max(word.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

async function make(db: Database, name: string): Promise<void> {
  if (name.length > 255) throw new UsageError('The name of a token may have at most 255 characters.');
  const { secret } = await db.write(async (tx) => {
    const made = await createToken(tx, FIRST_ACCOUNT, name, Date.now());
    await openAudit(Date.now).record(tx, await operator(db), 'token.create', made.id);
    return made;
  });
  console.log(`${secret}\n(shown this once)`);
}

async function revoke(db: Database, id: string): Promise<void> {
  await db.write(async (tx) => {
    await revokeToken(tx, FIRST_ACCOUNT, id, Date.now());
    await openAudit(Date.now).record(tx, await operator(db), 'token.revoke', id);
  });
  console.log('Revoked.');
}

async function end(db: Database, id: string): Promise<void> {
  const ended = await db.write(async (tx) => {
    const caller = await operator(db);
    if (id !== 'all') {
      await endSession(tx, FIRST_ACCOUNT, id);
      await openAudit(Date.now).record(tx, caller, 'session.end', id);
      return 1;
    }
    const { changes } = await endSessions(tx, FIRST_ACCOUNT);
    await openAudit(Date.now).record(tx, caller, 'session.end-all', String(changes));
    return changes;
  });
  console.log(`Signed out: ${ended}.`);
}

async function link(db: Database, config: Config): Promise<void> {
  const code = await db.write(async (tx) => {
    await openAudit(Date.now).record(tx, await operator(db), 'signin-link.make', '');
    return createSigninCode(tx, FIRST_ACCOUNT, Date.now());
  });
  console.log(
    `${publicUrlOf(config, config.port)}/sign-in#code=${code}\n(works once, for 10 minutes; earlier links have ended)`,
  );
}

/** Anyone who may write the data folder; there is no network address. */
async function operator(db: Database): Promise<Actor> {
  const email = (await readAccount(db, FIRST_ACCOUNT))?.UserEmail ?? '';
  return { account: { id: FIRST_ACCOUNT, email }, actor: 'operator', address: 'local' };
}

/** A name for printing, without control characters that would move the cursor. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}
