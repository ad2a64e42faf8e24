// `npm run token`: manages API tokens, sessions and sign-in links directly in the data folder, so that a lost token
// locks nobody out. It works beside a running service, and takes effect at once.
import { ROLES } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import type { Config } from './config.ts';
import { publicUrlOf } from './http/listen.ts';
import { day, operatorOf, printable, printTable, runCommand, UsageError, wholeNumber } from './operator-command.ts';
import type { Given } from './operator-command.ts';
import { FIRST_ACCOUNT, requireAccount } from './store/accounts.ts';
import { openAudit } from './store/audit.ts';
import type { Database } from './store/database.ts';
import { endSession, endSessions, listSessions, createSigninCode } from './store/sessions.ts';
import { listTokens, createToken, revokeToken } from './store/tokens.ts';

const USAGE = `
  npm run token                   lists the tokens
  npm run token -- make NAME      makes one of the account and shows it, once
      --role ROLE                 Viewer, Deployer, Operator or Admin, which it is without this
      --groups a,b                only for the devices of these groups
      --days N                    until then; without this it lasts until it is revoked
  npm run token -- revoke ID      ends one, and the sessions that were opened with it
  npm run token -- sessions       lists the browsers that are signed in
  npm run token -- end ID         signs one out
  npm run token -- end all        signs all of them out
  npm run token -- link           prints a new sign-in link: it works once, for 10 minutes, and always lets the
                                  owner of the account in, whatever signs people in otherwise
Each takes --account ID where the service has several accounts ("npm run account"); without it, account 1.`;

const OPTIONS = {
  role: { type: 'string' },
  groups: { type: 'string' },
  days: { type: 'string' },
  account: { type: 'string' },
} as const;
const DAY_MS = 86_400_000;
const MOST_WORDS = 100;

/** The account that was named, or the first one. */
async function accountOf(db: Database, { options: { account } }: Given): Promise<number> {
  if (typeof account !== 'string') return FIRST_ACCOUNT;
  const id = wholeNumber(account, '--account', Number.MAX_SAFE_INTEGER);
  await requireAccount(db, id);
  return id;
}

async function list(db: Database, given: Given): Promise<void> {
  const rows = (await listTokens(db, await accountOf(db, given))).map((token) => [
    token.id,
    `${token.prefix}…`,
    token.role,
    printable((JSON.parse(token.groups_json) as string[]).join(', ')) || 'all',
    token.person_id === null ? 'the account' : printable(token.person ?? ''),
    day(token.created),
    day(token.expires),
    day(token.last_used),
    printable(token.name),
  ]);
  printTable(['ID', 'BEGINS', 'ROLE', 'GROUPS', 'OWNER', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], rows);
  if (rows.length === 0) console.log('There is no token. Make one with: npm run token -- make NAME');
}

async function sessions(db: Database, given: Given): Promise<void> {
  const rows = (await listSessions(db, await accountOf(db, given), Date.now())).map(
    ({ id, prefix, name, created, last_used, address, how }) => [
      id,
      day(created),
      day(last_used),
      printable(address),
      prefix === null ? METHODS[how] : `token ${prefix}… ${printable(name ?? '')}`,
    ],
  );
  printTable(['ID', 'SIGNED IN', 'LAST USED', 'FROM', 'BY'], rows);
  if (rows.length === 0) console.log('Nobody is signed in.');
}
const METHODS = { link: 'sign-in link', token: 'token', password: 'password', oidc: 'identity provider' } as const;

async function make(db: Database, given: Given): Promise<void> {
  const name = given.words.join(' ').trim();
  if (name === '' || name.length > 255) throw new UsageError('The name of a token has 1 to 255 characters.');
  const { days } = given.options;
  const expires = typeof days === 'string' ? Date.now() + wholeNumber(days, '--days', 36_500) * DAY_MS : undefined;
  const account = await accountOf(db, given);
  const rights = rightsOf(given);
  const { secret } = await db.write(async (tx) => {
    const made = await createToken(tx, account, name, Date.now(), { rights, expires });
    await openAudit(Date.now).record(tx, await operatorOf(tx, account), 'token.create', made.id);
    return made;
  });
  console.log(`${secret}\n(shown this once)`);
}

function rightsOf({ options: { role = 'Admin', groups } }: Given): Rights {
  const known = ROLES.find((each) => each.toLowerCase() === String(role).toLowerCase());
  if (!known) throw new UsageError(`--role is "${role}", but must be one of ${ROLES.join(', ')}.`);
  if (typeof groups !== 'string') return { role: known };
  const names = [...new Set(groups.split(',').map((group) => group.trim()))].filter(Boolean);
  // None would mean all.
  if (names.length === 0) throw new UsageError('--groups names no group. Leave it out for all of them.');
  return { role: known, groups: names };
}

async function revoke(db: Database, given: Given): Promise<void> {
  const [id = ''] = given.words;
  const account = await accountOf(db, given);
  await db.write(async (tx) => {
    await revokeToken(tx, account, id, Date.now());
    await openAudit(Date.now).record(tx, await operatorOf(tx, account), 'token.revoke', id);
  });
  console.log('Revoked.');
}

async function end(db: Database, given: Given): Promise<void> {
  const [id = ''] = given.words;
  const account = await accountOf(db, given);
  const ended = await db.write(async (tx) => {
    const caller = await operatorOf(tx, account);
    if (id !== 'all') {
      await endSession(tx, account, id);
      await openAudit(Date.now).record(tx, caller, 'session.end', id);
      return 1;
    }
    const { changes } = await endSessions(tx, account);
    await openAudit(Date.now).record(tx, caller, 'session.end-all', String(changes));
    return changes;
  });
  console.log(`Signed out: ${ended}.`);
}

async function link(db: Database, given: Given, config: Config): Promise<void> {
  const account = await accountOf(db, given);
  const code = await db.write(async (tx) => {
    await openAudit(Date.now).record(tx, await operatorOf(tx, account), 'signin-link.make', '');
    return createSigninCode(tx, account, Date.now());
  });
  console.log(
    `${publicUrlOf(config, config.port)}/sign-in#code=${code}\n(works once, for 10 minutes; earlier links have ended)`,
  );
}

await runCommand(USAGE, OPTIONS, {
  list: { words: [0, 0], options: ['account'], run: list },
  make: { words: [1, MOST_WORDS], options: ['account', 'role', 'groups', 'days'], run: make },
  revoke: { words: [1, 1], options: ['account'], run: revoke },
  sessions: { words: [0, 0], options: ['account'], run: sessions },
  end: { words: [1, 1], options: ['account'], run: end },
  link: { words: [0, 0], options: ['account'], run: link },
});
