// Tunnels that devices have opened.
import { newId } from '../ids.ts';
import { notFound } from '../problem.ts';
import type { Reader, Tx } from './database.ts';

/** One tunnel as it is stored. */
export interface StoredTunnel {
  name: string;
  deviceId: string;
  deviceName: string;
  protocol: 'HTTP' | 'TCP';
  localDest: string;
  /** Of a TCP tunnel: the port it has on the service. */
  port: number | null;
  created: number;
  /** Since when its agent holds it up; null while it does not. */
  connected: number | null;
}

export interface TunnelDraft {
  accountId: number;
  deviceSeq: number;
  protocol: 'HTTP' | 'TCP';
  /** '<scheme>://<host>:<port>' on the device's side. */
  localDest: string;
  port?: number;
}

/** 100 random bits: the name of an HTTP tunnel is its address, and all that keeps strangers from it. */
const NAME_LENGTH = 20;

/** Adds a tunnel that its agent holds up from now on, and returns its name. */
export function openTunnel(
  tx: Tx,
  { accountId, deviceSeq, protocol, localDest, port }: TunnelDraft,
  now: number,
): string {
  const name = newId(NAME_LENGTH);
  tx.run(
    `INSERT INTO tunnels (name, account_id, device_seq, protocol, local_dest, port, created, connected)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    name,
    accountId,
    deviceSeq,
    protocol,
    localDest,
    port ?? null,
    now,
    now,
  );
  return name;
}

/** All tunnels of an account, oldest first. */
export const listTunnels = (db: Reader, accountId: number): StoredTunnel[] =>
  db.all<StoredTunnel>(
    `SELECT tunnels.name, devices.id AS deviceId, devices.name AS deviceName, protocol, local_dest AS localDest, port,
       tunnels.created, connected
     FROM tunnels JOIN devices ON devices.seq = device_seq WHERE tunnels.account_id = ? ORDER BY tunnels.seq`,
    accountId,
  );

export function deleteTunnel(tx: Tx, accountId: number, name: string): void {
  const { changes } = tx.run('DELETE FROM tunnels WHERE name = ? AND account_id = ?', name, accountId);
  if (changes === 0) throw notFound('tunnel', name);
}

/** Deletes all tunnels of an account and returns how many there were. */
export const deleteTunnels = (tx: Tx, accountId: number): number =>
  tx.run('DELETE FROM tunnels WHERE account_id = ?', accountId).changes;
