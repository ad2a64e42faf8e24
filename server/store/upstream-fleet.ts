// What a gateway knows of the devices of the service behind it, and of the account that its rollouts are in.
import type { Reader, Tx } from './database.ts';

/** The account of rollouts, by the service and the address that it gives. */
export async function upstreamAccount(tx: Tx, upstream: string, email: string): Promise<number> {
  await tx.run('INSERT INTO accounts (upstream, email) VALUES (?, ?) ON CONFLICT DO NOTHING', upstream, email);
  const row = await tx.get<{ id: number }>('SELECT id FROM accounts WHERE upstream = ? AND email = ?', upstream, email);
  return row?.id ?? 0;
}

export interface SeenDevice {
  id: string;
  name: string;
  isOnline: boolean;
}

/** Devices as they were just read. The time of a state is when it was seen first. */
export async function noteDevices(
  tx: Tx,
  accountId: number,
  devices: readonly SeenDevice[],
  at: number,
): Promise<void> {
  for (const { id, name, isOnline } of devices)
    await tx.run(
      `INSERT INTO devices (account_id, id, name, state_online, state_time) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (account_id, id) DO UPDATE SET name = ?3, state_online = ?4,
         state_time = CASE WHEN state_online = ?4 THEN state_time ELSE ?5 END
       WHERE name <> ?3 OR state_online <> ?4`,
      accountId,
      id,
      name,
      isOnline ? 1 : 0,
      at,
    );
}

/** Devices that a listing did not show: nobody knows that they are Online. */
export async function noteUnseen(tx: Tx, accountId: number, ids: readonly string[], at: number): Promise<void> {
  for (const id of ids)
    await tx.run(
      'UPDATE devices SET state_online = 0, state_time = ? WHERE account_id = ? AND id = ? AND state_online = 1',
      at,
      accountId,
      id,
    );
}

/** Devices that the service no longer has. */
export async function forgetDevices(tx: Tx, accountId: number, ids: readonly string[]): Promise<void> {
  for (const id of ids) await tx.run('DELETE FROM devices WHERE account_id = ? AND id = ?', accountId, id);
}

/** Devices of waves that have begun and not passed, of rollouts that are open. */
export const awaitedDevices = async (db: Reader, accountId: number): Promise<string[]> =>
  (
    await db.all<{ device_id: string }>(
      `SELECT DISTINCT d.device_id FROM rollout_devices d
       JOIN rollout_waves w ON w.rollout_seq = d.rollout_seq AND w.number = d.wave AND w.passed IS NULL
       JOIN rollouts r ON r.seq = d.rollout_seq AND r.state IN ('Running', 'Waiting')
       JOIN devices v ON v.account_id = r.account_id AND v.id = d.device_id
       WHERE r.account_id = ? AND d.skipped = 0`,
      accountId,
    )
  ).map(({ device_id }) => device_id);
