// Tunnels that devices have opened. A row belongs to a destination on a device and keeps its name while the agent comes
// and goes; a tunnel that was closed leaves a mark, so that the process that had opened it does not open it again.
import { newId } from './ids.ts';
import { notFound } from '../http/problem.ts';
import type { Reader, Tx } from './database.ts';

type Protocol = 'HTTP' | 'TCP';

/** One tunnel as it is stored. */
export interface StoredTunnel {
  name: string;
  deviceId: string;
  deviceName: string;
  /** 1 while its agent is connected. */
  deviceOnline: number;
  protocol: Protocol;
  localDest: string;
  /** Of a TCP tunnel: the port it has on the service. */
  port: number | null;
  created: number;
  /** Since when its agent holds it up; null while it does not. */
  connected: number | null;
  login: number;
  idleSeconds: number | null;
  expires: number | null;
}

export interface TunnelDraft {
  accountId: number;
  deviceSeq: number;
  /** The agent's process. */
  run: string;
  protocol: Protocol;
  /** '<scheme>://<host>:<port>' on the device's side. */
  localDest: string;
  port?: number | undefined;
  login?: boolean;
  idleSeconds?: number | undefined;
  expires?: number | undefined;
}

/** 100 random bits: the name of an HTTP tunnel is its address, and all that keeps strangers from it. */
const NAME_LENGTH = 20;

/** Opens a tunnel that its agent holds up from now on; `fresh` when it was never there before. */
export function openTunnel(tx: Tx, draft: TunnelDraft, now: number): { name: string; fresh: boolean } {
  const { accountId, deviceSeq, run, protocol, localDest } = draft;
  const changing = [
    draft.port ?? null,
    run,
    Number(draft.login ?? false),
    draft.idleSeconds ?? null,
    draft.expires ?? null,
    now,
  ];
  const known = tx.get<{ seq: number; name: string }>(
    'SELECT seq, name FROM tunnels WHERE device_seq = ? AND protocol = ? AND local_dest = ?',
    deviceSeq,
    protocol,
    localDest,
  );
  if (known) {
    tx.run(
      `UPDATE tunnels SET offered = 1, port = ?, run = ?, login = ?, idle_seconds = ?, expires = ?, connected = ?
       WHERE seq = ?`,
      ...changing,
      known.seq,
    );
    return { name: known.name, fresh: false };
  }
  const name = newId(NAME_LENGTH);
  tx.run(
    `INSERT INTO tunnels (port, run, login, idle_seconds, expires, connected, name, account_id, device_seq, protocol, local_dest, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...changing,
    name,
    accountId,
    deviceSeq,
    protocol,
    localDest,
    now,
  );
  return { name, fresh: true };
}

/** What an agent has opened before, and what of its process was closed. */
export function tunnelsOfDevice(db: Reader, deviceSeq: number) {
  return {
    known: db.all<{ protocol: Protocol; localDest: string; port: number | null }>(
      'SELECT protocol, local_dest AS localDest, port FROM tunnels WHERE device_seq = ?',
      deviceSeq,
    ),
    closed: db.all<{ protocol: Protocol; localDest: string; run: string }>(
      'SELECT protocol, local_dest AS localDest, run FROM closed_tunnels WHERE device_seq = ?',
      deviceSeq,
    ),
  };
}

/** Before an agent's offers are opened: none of its tunnels counts any more, nor do the marks of earlier processes. */
export function withdrawTunnels(tx: Tx, deviceSeq: number, run: string): void {
  tx.run('UPDATE tunnels SET offered = 0, connected = NULL WHERE device_seq = ?', deviceSeq);
  tx.run('DELETE FROM closed_tunnels WHERE device_seq = ? AND run <> ?', deviceSeq, run);
}

/** How many tunnels that its agent no longer offers a device keeps the names of, and how many marks. */
const MOST_FORGOTTEN = 200;
const MOST_MARKS = 1_000;

/**
 * After an agent's offers were opened: one that offers other destinations each time does not fill the disk, nor keep more
 * than its share of the ports.
 */
export function forgetTunnels(tx: Tx, deviceSeq: number, mostPorts: number): void {
  tx.run(
    `UPDATE tunnels SET port = NULL WHERE offered = 0 AND seq IN
       (SELECT seq FROM tunnels WHERE device_seq = ? AND port IS NOT NULL ORDER BY offered DESC, seq DESC LIMIT -1 OFFSET ?)`,
    deviceSeq,
    mostPorts,
  );
  tx.run(
    `DELETE FROM tunnels WHERE seq IN
       (SELECT seq FROM tunnels WHERE device_seq = ? AND offered = 0 ORDER BY seq DESC LIMIT -1 OFFSET ?)`,
    deviceSeq,
    MOST_FORGOTTEN,
  );
  tx.run(
    'DELETE FROM closed_tunnels WHERE device_seq = ?1 AND (SELECT count(*) FROM closed_tunnels WHERE device_seq = ?1) > ?2',
    deviceSeq,
    MOST_MARKS,
  );
}

export const markTunnelsDown = (tx: Tx, deviceSeq: number) =>
  tx.run('UPDATE tunnels SET connected = NULL WHERE device_seq = ? AND connected IS NOT NULL', deviceSeq);

/** Marks all tunnels as not connected: no agent is after a start. */
export const markAllTunnelsDown = (tx: Tx) => tx.run('UPDATE tunnels SET connected = NULL WHERE connected IS NOT NULL');

/** Ports that belong to a tunnel, whether it is up or not. */
export const portsOfTunnels = (db: Reader): number[] =>
  db.all<{ port: number }>('SELECT port FROM tunnels WHERE port IS NOT NULL').map(({ port }) => port);

/** Takes their ports from tunnels that no agent names any more. */
export const releaseUnusedPorts = (tx: Tx) => tx.run('UPDATE tunnels SET port = NULL WHERE offered = 0');

/** Whether there is a tunnel of this name at all, up or not. */
export const tunnelExists = (db: Reader, name: string): boolean =>
  db.get('SELECT 1 FROM tunnels WHERE name = ? AND offered = 1', name) !== undefined;

/** All tunnels of an account, oldest first. */
export const listTunnels = (db: Reader, accountId: number): StoredTunnel[] =>
  db.all<StoredTunnel>(
    `SELECT tunnels.name, devices.id AS deviceId, devices.name AS deviceName, online AS deviceOnline, protocol,
       local_dest AS localDest, port, tunnels.created, connected, login, idle_seconds AS idleSeconds, expires
     FROM tunnels JOIN devices ON devices.seq = device_seq
     WHERE tunnels.account_id = ? AND offered = 1 ORDER BY tunnels.seq`,
    accountId,
  );

const MARK = `INSERT OR REPLACE INTO closed_tunnels (device_seq, protocol, local_dest, run)
  SELECT device_seq, protocol, local_dest, run FROM tunnels`;

export function deleteTunnel(tx: Tx, accountId: number, name: string): void {
  tx.run(`${MARK} WHERE name = ? AND account_id = ?`, name, accountId);
  const { changes } = tx.run('DELETE FROM tunnels WHERE name = ? AND account_id = ?', name, accountId);
  if (changes === 0) throw notFound('tunnel', name);
}

/** Like a deletion, by the service itself; false when it was gone already. */
export function closeTunnel(tx: Tx, name: string): boolean {
  tx.run(`${MARK} WHERE name = ?`, name);
  return tx.run('DELETE FROM tunnels WHERE name = ?', name).changes > 0;
}

/** Deletes all tunnels of an account and returns their names. */
export function deleteTunnels(tx: Tx, accountId: number): string[] {
  const names = tx.all<{ name: string }>('SELECT name FROM tunnels WHERE account_id = ?', accountId);
  tx.run(`${MARK} WHERE account_id = ?`, accountId);
  tx.run('DELETE FROM tunnels WHERE account_id = ?', accountId);
  return names.map(({ name }) => name);
}
