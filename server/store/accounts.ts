// Accounts. The first one is the operator's; the environment sets its properties at each start.
import type { Account } from '#/contract/account.ts';
import type { Config } from '../config.ts';
import { USED_BYTES } from './artifacts.ts';
import { Conflict, notFound } from './errors.ts';
import { personByEmail, setUpOwner } from './people.ts';
import { adoptEnvToken, listTokens, createToken } from './tokens.ts';
import type { Reader, Tx } from './database.ts';

/** The operator's account. */
export const FIRST_ACCOUNT = 1;

/** Updates the first account from the environment; `createdToken` is set if it had no token yet. */
export async function setUpFirstAccount(
  tx: Tx,
  { accountEmail, maxDevices, artifactQuota, authToken }: Config,
  now: number,
): Promise<{ createdToken: string | undefined; envTokenRevoked: boolean }> {
  const before = (await readAccount(tx, FIRST_ACCOUNT))?.UserEmail;
  await tx.run(
    `INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET email = excluded.email, max_devices = excluded.max_devices, artifact_limit = excluded.artifact_limit`,
    FIRST_ACCOUNT,
    accountEmail,
    maxDevices,
    artifactQuota,
    now,
  );
  await setUpOwner(tx, FIRST_ACCOUNT, { email: accountEmail, before, now });
  await tx.run('UPDATE accounts SET num_devices = (SELECT count(*) FROM devices WHERE account_id = accounts.id)');
  if (authToken !== undefined)
    return {
      createdToken: undefined,
      envTokenRevoked: (await adoptEnvToken(tx, FIRST_ACCOUNT, authToken, now)) === 'revoked',
    };
  if ((await listTokens(tx, FIRST_ACCOUNT)).length > 0) return { createdToken: undefined, envTokenRevoked: false };
  return { createdToken: (await createToken(tx, FIRST_ACCOUNT, 'First token', now)).secret, envTokenRevoked: false };
}

export async function readAccount(db: Reader, accountId: number): Promise<Account | undefined> {
  const row = await db.get<Account & { name: string; needs_otp: number; rotation_days: number }>(
    `SELECT email AS "UserEmail", max_devices AS "PlanMaxDeviceLimit", num_devices AS "NumDevicesAdded",
       ${USED_BYTES} AS "ArtifactBytesUsed",
       artifact_limit AS "ArtifactBytesLimit", name, needs_otp, rotation_days
     FROM accounts WHERE id = ?`,
    accountId,
  );
  if (!row) return undefined;
  const { name, needs_otp, rotation_days, ...account } = row;
  return {
    ...account,
    ...(name !== '' && { Name: name }),
    ...(needs_otp === 1 && { NeedsSecondFactor: true }),
    ...(rotation_days > 0 && { KeyRotationDays: rotation_days }),
  };
}

/** Changes what the account's Admins decide. */
export async function updateAccount(
  tx: Tx,
  accountId: number,
  {
    name,
    needsOtp,
    rotationDays,
  }: { name?: string | undefined; needsOtp?: boolean | undefined; rotationDays?: number | undefined },
): Promise<void> {
  if (name !== undefined)
    await tx.run('UPDATE accounts SET name = ? WHERE id = ?', name.trim().toWellFormed(), accountId);
  if (needsOtp !== undefined)
    await tx.run('UPDATE accounts SET needs_otp = ? WHERE id = ?', needsOtp ? 1 : 0, accountId);
  if (rotationDays !== undefined)
    await tx.run('UPDATE accounts SET rotation_days = ? WHERE id = ?', rotationDays, accountId);
}

interface Limits {
  maxDevices: number;
  /** In bytes. */
  artifactLimit: number;
}

export interface AccountRow {
  id: number;
  name: string;
  email: string;
  max_devices: number;
  num_devices: number;
  artifact_limit: number;
  created: number;
  removed: number | null;
}

/** The accounts of the service, oldest first; those that are being deleted too. */
export const listAccounts = (db: Reader): Promise<AccountRow[]> =>
  db.all<AccountRow>(
    'SELECT id, name, email, max_devices, num_devices, artifact_limit, created, removed FROM accounts ORDER BY id',
  );

const isTaken = async (db: Reader, id: number) =>
  (await db.get('SELECT 1 FROM accounts WHERE id = ? AND removed IS NULL', id)) !== undefined;

/** Throws unless there is an account with this id. */
export async function requireAccount(db: Reader, id: number): Promise<void> {
  if (!(await isTaken(db, id))) throw notFound('account', String(id));
}

/** The highest id that an account ever had: none is used again, because entries of the audit log keep it. */
const LAST_ID = 'last_account';

/** Adds an account whose first Admin is the person with this address. */
export async function addAccount(
  tx: Tx,
  { name, email, maxDevices, artifactLimit }: { name: string; email: string } & Limits,
  now: number,
): Promise<number> {
  if (await personByEmail(tx, email))
    throw new Conflict(
      `The e-mail address ${email} is taken`,
      'An address belongs to one person on this service. Use another one.',
    );
  const last = await tx.get<{ value: string }>('SELECT value FROM settings WHERE key = ?', LAST_ID);
  const highest = await tx.get<{ id: number }>('SELECT max(id) AS id FROM accounts');
  const id = Math.max(Number(last?.value ?? 0), highest?.id ?? 0) + 1;
  await tx.run(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    LAST_ID,
    String(id),
  );
  await tx.run(
    'INSERT INTO accounts (id, email, name, max_devices, artifact_limit, created) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    email,
    name.trim().toWellFormed(),
    maxDevices,
    artifactLimit,
    now,
  );
  await setUpOwner(tx, id, { email, before: undefined, now });
  return id;
}

/** Changes what only the operator of the service decides. */
export async function limitAccount(
  tx: Tx,
  id: number,
  { maxDevices, artifactLimit }: { [Limit in keyof Limits]: number | undefined },
): Promise<void> {
  await requireAccount(tx, id);
  if (maxDevices !== undefined) await tx.run('UPDATE accounts SET max_devices = ? WHERE id = ?', maxDevices, id);
  if (artifactLimit !== undefined)
    await tx.run('UPDATE accounts SET artifact_limit = ? WHERE id = ?', artifactLimit, id);
}

/**
 * Ends all access of people and programs to an account at once, and marks it: account-removal.ts deletes what is in it. The
 * addresses of its people are free again.
 */
export async function markAccountRemoved(tx: Tx, id: number, now: number): Promise<void> {
  if (id === FIRST_ACCOUNT)
    throw new Conflict(
      'Account 1 cannot be removed',
      'It is the one of the service itself: its operator signs in there.',
    );
  await requireAccount(tx, id);
  await tx.run('UPDATE accounts SET removed = ? WHERE id = ?', now, id);
  for (const table of ['signin_codes', 'sessions', 'tokens', 'people'])
    await tx.run(`DELETE FROM ${table} WHERE account_id = ?`, id);
}
