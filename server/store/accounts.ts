// Accounts. The first one is the operator's; the environment sets its properties at each start.
import type { Account } from '#/contract/account.ts';
import type { Config } from '../config.ts';
import { setUpOwner } from './people.ts';
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
  const row = await db.get<Account & { name: string; needs_otp: number }>(
    `SELECT email AS "UserEmail", max_devices AS "PlanMaxDeviceLimit", num_devices AS "NumDevicesAdded",
       (SELECT coalesce(sum(size_bytes), 0) FROM artifacts WHERE account_id = accounts.id) AS "ArtifactBytesUsed",
       artifact_limit AS "ArtifactBytesLimit", name, needs_otp
     FROM accounts WHERE id = ?`,
    accountId,
  );
  if (!row) return undefined;
  const { name, needs_otp, ...account } = row;
  return { ...account, ...(name !== '' && { Name: name }), ...(needs_otp === 1 && { NeedsSecondFactor: true }) };
}

/** Changes what the account's Admins decide. */
export async function updateAccount(
  tx: Tx,
  accountId: number,
  { name, needsOtp }: { name?: string | undefined; needsOtp?: boolean | undefined },
): Promise<void> {
  if (name !== undefined)
    await tx.run('UPDATE accounts SET name = ? WHERE id = ?', name.trim().toWellFormed(), accountId);
  if (needsOtp !== undefined)
    await tx.run('UPDATE accounts SET needs_otp = ? WHERE id = ?', needsOtp ? 1 : 0, accountId);
}
