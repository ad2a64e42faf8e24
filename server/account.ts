// `npm run account`: several accounts on one service, each with its own people, devices and limits. It works directly in the
// database, beside a running service, and takes effect at once.
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditAction } from '#/contract/audit-actions.ts';
import { emailText } from '#/contract/people.ts';
import type { Config } from './config.ts';
import { publicUrlOf } from './http/listen.ts';
import { day, operatorOf, printable, printTable, runCommand, UsageError, wholeNumber } from './operator-command.ts';
import type { Given } from './operator-command.ts';
import {
  addAccount,
  FIRST_ACCOUNT,
  limitAccount,
  listAccounts,
  markAccountRemoved,
  requireAccount,
  updateAccount,
} from './store/accounts.ts';
import { openAudit } from './store/audit.ts';
import type { Database, Tx } from './store/database.ts';
import { createSigninCode } from './store/sessions.ts';
import { createToken } from './store/tokens.ts';

const USAGE = `
  npm run account                            lists the accounts
  npm run account -- add NAME --email ADDRESS
                                             adds one, with its first Admin; prints a sign-in link and a token, once
  npm run account -- rename ID NAME          gives it another name
  npm run account -- limits ID --devices N --artifacts-mb N
                                             sets how much it may have
  npm run account -- remove ID [--yes]       deletes it with everything in it`;

const OPTIONS = {
  email: { type: 'string' },
  devices: { type: 'string' },
  'artifacts-mb': { type: 'string' },
  yes: { type: 'boolean' },
} as const;
const MOST_WORDS = 100;
const MB = 1024 * 1024;
/** How long to wait for the service to delete what is in a removed account. */
const WAIT_MS = 10_000;

function idOf({ words: [id = ''] }: Given): number {
  return wholeNumber(id, 'ID', Number.MAX_SAFE_INTEGER);
}

function nameOf(words: readonly string[]): string {
  const name = words.join(' ').trim();
  if (name === '' || name.length > 255) throw new UsageError('The name of an account has 1 to 255 characters.');
  return name;
}

const record = async (tx: Tx, id: number, action: AuditAction) =>
  openAudit(Date.now).record(tx, await operatorOf(tx, id), action, String(id));

async function list(db: Database): Promise<void> {
  const rows = (await listAccounts(db)).map((account) => [
    String(account.id),
    `${account.num_devices} of ${account.max_devices}`,
    `${Math.floor(account.artifact_limit / MB)} MB`,
    day(account.created),
    printable(account.email),
    account.removed === null ? printable(account.name) : 'is being deleted',
  ]);
  printTable(['ID', 'DEVICES', 'ARTIFACTS', 'CREATED', 'E-MAIL', 'NAME'], rows);
}

async function add(db: Database, { words, options: { email } }: Given, config: Config): Promise<void> {
  const name = nameOf(words);
  if (typeof email !== 'string') throw new UsageError('Say who owns it: --email ADDRESS');
  if (!emailText.safeParse(email).success) throw new UsageError(`--email is "${email}", which is no e-mail address.`);
  const { maxDevices, artifactQuota: artifactLimit } = config;
  const { id, code, secret } = await db.write(async (tx) => {
    const now = Date.now();
    const account = await addAccount(tx, { name, email, maxDevices, artifactLimit }, now);
    await record(tx, account, 'account.add');
    const token = await createToken(tx, account, 'First token', now);
    return { id: account, code: await createSigninCode(tx, account, now), secret: token.secret };
  });
  console.log(`Account: ${id}
Sign in: ${publicUrlOf(config, config.port)}/sign-in#code=${code}
Token:   ${secret}
The link works once, for 10 minutes: "npm run token -- link --account ${id}" prints another. The token is shown this once.`);
}

async function rename(db: Database, given: Given): Promise<void> {
  const id = idOf(given);
  const name = nameOf(given.words.slice(1));
  await db.write(async (tx) => {
    await requireAccount(tx, id);
    await updateAccount(tx, id, { name });
    await record(tx, id, 'account.rename');
  });
  console.log('Renamed.');
}

async function limits(db: Database, given: Given): Promise<void> {
  const id = idOf(given);
  const { devices, 'artifacts-mb': megabytes } = given.options;
  if (devices === undefined && megabytes === undefined)
    throw new UsageError('Say what to limit: --devices N, --artifacts-mb N, or both.');
  if (id === FIRST_ACCOUNT)
    throw new UsageError(
      'The limits of account 1 are MAX_DEVICES and ARTIFACT_QUOTA_MB of the service: change them there, and start it again.',
    );
  await db.write(async (tx) => {
    await limitAccount(tx, id, {
      maxDevices: typeof devices === 'string' ? wholeNumber(devices, '--devices', 10_000_000) : undefined,
      artifactLimit:
        typeof megabytes === 'string' ? wholeNumber(megabytes, '--artifacts-mb', 100_000_000) * MB : undefined,
    });
    await record(tx, id, 'account.limits');
  });
  console.log('Changed.');
}

async function remove(db: Database, given: Given): Promise<void> {
  const id = idOf(given);
  const account = (await listAccounts(db)).find((each) => each.id === id);
  if (account?.removed == null) {
    if (account && id !== FIRST_ACCOUNT && given.options['yes'] !== true && !(await isSure(account))) {
      console.log('Nothing was removed.');
      return;
    }
    await db.write(async (tx) => {
      await record(tx, id, 'account.remove');
      await markAccountRemoved(tx, id, Date.now());
    });
  }
  // The service deletes what is in it: only it can cut off agents.
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(200))
    if (!(await listAccounts(db)).some((each) => each.id === id)) {
      console.log('Removed.');
      return;
    }
  console.log(
    'Nobody can sign in there any more. The service deletes the rest in the background, or as soon as it runs again.',
  );
}

async function isSure({ id, name, num_devices: devices }: { id: number; name: string; num_devices: number }) {
  if (!process.stdin.isTTY)
    throw new UsageError('Nobody can be asked here: add --yes to delete it without a question.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const what = `account ${id} (${printable(name)}) with its ${devices} devices, jobs, logs, artifacts and people`;
    return (await terminal.question(`Delete ${what}? Type ${id} to confirm: `)).trim() === String(id);
  } finally {
    terminal.close();
  }
}

await runCommand(USAGE, OPTIONS, {
  list: { words: [0, 0], options: [], run: list },
  add: { words: [1, MOST_WORDS], options: ['email'], run: add },
  rename: { words: [2, MOST_WORDS], options: [], run: rename },
  limits: { words: [1, 1], options: ['devices', 'artifacts-mb'], run: limits },
  remove: { words: [1, 1], options: ['yes'], run: remove },
});
