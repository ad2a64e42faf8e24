// Tunnels that devices have opened. A row belongs to a destination on a device and keeps its name when the agent
// reconnects. A closed tunnel leaves a mark, so that the process that opened it does not reopen it.
import { newId } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, SqlValue, Tx } from './database.ts';
import { NO_LIMIT } from './dialect.ts';
import { inGroups } from './scope.ts';
import type { Scope } from './scope.ts';

type Protocol = 'HTTP' | 'TCP';

export interface StoredTunnel {
  name: string;
  deviceId: string;
  deviceName: string;
  /** 1 while its agent is connected. */
  deviceOnline: number;
  protocol: Protocol;
  localDest: string;
  /** The port of a TCP tunnel on the service. */
  port: number | null;
  created: number;
  /** When its agent opened it; null while it is not open. */
  connected: number | null;
  login: number;
  idleSeconds: number | null;
  expires: number | null;
  /** As last recorded by the agent's node. */
  connections: number;
  bytesIn: number;
  bytesOut: number;
  /** The address of the agent's node; null if that has left the cluster. */
  nodeUrl: string | null;
}

export interface TunnelDraft {
  accountId: number;
  deviceSeq: number;
  /** Identifies the agent's process. */
  run: string;
  protocol: Protocol;
  /** '<scheme>://<host>:<port>' on the device's side. */
  localDest: string;
  port?: number | undefined;
  login?: boolean;
  /** Lets other nodes check the login. */
  loginProof?: string;
  idleSeconds?: number | undefined;
  expires?: number | undefined;
}

/** 100 random bits: the name of an HTTP tunnel is its address, and the only protection of a tunnel without a login. */
const NAME_LENGTH = 20;

/** Opens a tunnel; `fresh` means that it did not exist before. */
export async function openTunnel(tx: Tx, draft: TunnelDraft, now: number): Promise<{ name: string; fresh: boolean }> {
  const { accountId, deviceSeq, run, protocol, localDest } = draft;
  const changing = [
    draft.port ?? null,
    run,
    Number(draft.login ?? false),
    draft.loginProof ?? '',
    draft.idleSeconds ?? null,
    draft.expires ?? null,
    now,
  ];
  const known = await tx.get<{ seq: number; name: string }>(
    'SELECT seq, name FROM tunnels WHERE device_seq = ? AND protocol = ? AND local_dest = ?',
    deviceSeq,
    protocol,
    localDest,
  );
  if (known) {
    await tx.run(
      `UPDATE tunnels SET offered = 1, port = ?, run = ?, login = ?, login_proof = ?, idle_seconds = ?, expires = ?, connected = ?,
         connections = 0, bytes_in = 0, bytes_out = 0
       WHERE seq = ?`,
      ...changing,
      known.seq,
    );
    return { name: known.name, fresh: false };
  }
  const name = newId(NAME_LENGTH);
  await tx.run(
    `INSERT INTO tunnels (port, run, login, login_proof, idle_seconds, expires, connected, name, account_id, device_seq, protocol, local_dest, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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

/** A connected tunnel, and the node that has its agent. */
export interface TunnelElsewhere {
  name: string;
  protocol: Protocol;
  /** 1 if visitors need a login, which `proof` can verify. */
  login: number;
  proof: string;
  session: number;
  holder: string;
  url: string;
}

export const tunnelElsewhere = (db: Reader, name: string): Promise<TunnelElsewhere | undefined> =>
  db.get<TunnelElsewhere>(
    `SELECT name, protocol, login, proof, session, holder, nodes.url FROM (
       SELECT tunnels.name, protocol, login, login_proof AS proof, session, node AS holder
       FROM tunnels JOIN devices ON devices.seq = device_seq
       WHERE tunnels.name = ? AND connected IS NOT NULL AND online = 1
     ) present JOIN nodes ON nodes.id = holder`,
    name,
  );

/** Records the traffic of a connected tunnel of this node, for the lists that other nodes show. */
export const noteTraffic = (
  tx: Tx,
  name: string,
  { connections, bytesIn, bytesOut }: { connections: number; bytesIn: number; bytesOut: number },
) =>
  tx.run(
    'UPDATE tunnels SET connections = ?, bytes_in = ?, bytes_out = ? WHERE name = ?',
    connections,
    bytesIn,
    bytesOut,
    name,
  );

/** The tunnels that an agent opened before, and those of its process that were closed. */
export async function tunnelsOfDevice(db: Reader, deviceSeq: number) {
  return {
    known: await db.all<{ name: string; protocol: Protocol; localDest: string; port: number | null }>(
      'SELECT name, protocol, local_dest AS "localDest", port FROM tunnels WHERE device_seq = ?',
      deviceSeq,
    ),
    closed: await db.all<{ protocol: Protocol; localDest: string; run: string }>(
      'SELECT protocol, local_dest AS "localDest", run FROM closed_tunnels WHERE device_seq = ?',
      deviceSeq,
    ),
  };
}

/**
 * Called before an agent's offered tunnels are opened: disconnects its tunnels and removes the marks of earlier
 * processes.
 */
export async function withdrawTunnels(tx: Tx, deviceSeq: number, run: string): Promise<void> {
  await tx.run('UPDATE tunnels SET offered = 0, connected = NULL WHERE device_seq = ?', deviceSeq);
  await tx.run('DELETE FROM closed_tunnels WHERE device_seq = ? AND run <> ?', deviceSeq, run);
}

/** The most tunnels no longer offered, and the most marks, kept for each device. */
const MAX_WITHDRAWN = 200;
const MAX_MARKS = 1_000;

/**
 * Called after an agent's offered tunnels were opened: limits the rows and ports of an agent that offers different
 * destinations each time.
 */
export async function pruneTunnels(tx: Tx, deviceSeq: number, mostPorts: number): Promise<void> {
  await tx.run(
    `UPDATE tunnels SET port = NULL WHERE offered = 0 AND seq IN
       (SELECT seq FROM tunnels WHERE device_seq = ? AND port IS NOT NULL ORDER BY offered DESC, seq DESC LIMIT ${NO_LIMIT} OFFSET ?)`,
    deviceSeq,
    mostPorts,
  );
  await tx.run(
    `DELETE FROM tunnels WHERE seq IN
       (SELECT seq FROM tunnels WHERE device_seq = ? AND offered = 0 ORDER BY seq DESC LIMIT ${NO_LIMIT} OFFSET ?)`,
    deviceSeq,
    MAX_WITHDRAWN,
  );
  await tx.run(
    'DELETE FROM closed_tunnels WHERE device_seq = ?1 AND (SELECT count(*) FROM closed_tunnels WHERE device_seq = ?1) > ?2',
    deviceSeq,
    MAX_MARKS,
  );
}

export const markTunnelsDown = (tx: Tx, deviceSeq: number) =>
  tx.run('UPDATE tunnels SET connected = NULL WHERE device_seq = ? AND connected IS NOT NULL', deviceSeq);

/** Marks all tunnels as not connected: no agent is connected after a start. */
export const markAllTunnelsDown = (tx: Tx) => tx.run('UPDATE tunnels SET connected = NULL WHERE connected IS NOT NULL');

/** Ports of all tunnels, connected or not. */
export const portsOfTunnels = async (db: Reader): Promise<number[]> =>
  (await db.all<{ port: number }>('SELECT port FROM tunnels WHERE port IS NOT NULL')).map(({ port }) => port);

/** Whether the port belongs to a tunnel, connected or not. */
export const isPortOfTunnel = async (db: Reader, port: number): Promise<boolean> =>
  (await db.get('SELECT 1 FROM tunnels WHERE port = ?', port)) !== undefined;

/** Releases the ports of tunnels that no agent offers any more. */
export const releaseUnusedPorts = (tx: Tx) => tx.run('UPDATE tunnels SET port = NULL WHERE offered = 0');

/** Whether a tunnel of this name exists, connected or not. */
export const tunnelExists = async (db: Reader, name: string): Promise<boolean> =>
  (await db.get('SELECT 1 FROM tunnels WHERE name = ? AND offered = 1', name)) !== undefined;

/** The tunnels of the devices in the scope, oldest first. */
export function listTunnels(db: Reader, scope: Scope): Promise<StoredTunnel[]> {
  const own = inGroups(db.dialect, scope, 'devices.grp');
  return db.all<StoredTunnel>(
    `SELECT tunnels.name, devices.id AS "deviceId", devices.name AS "deviceName", online AS "deviceOnline", protocol,
       local_dest AS "localDest", port, tunnels.created, connected, login, idle_seconds AS "idleSeconds", tunnels.expires,
       connections, bytes_in AS "bytesIn", bytes_out AS "bytesOut", nodes.url AS "nodeUrl"
     FROM tunnels JOIN devices ON devices.seq = device_seq LEFT JOIN nodes ON nodes.id = node
     WHERE tunnels.account_id = ? AND offered = 1${own.sql} ORDER BY tunnels.seq`,
    scope.accountId,
    ...own.values,
  );
}

const mark = (which: string) => `INSERT INTO closed_tunnels (device_seq, protocol, local_dest, run)
  SELECT device_seq, protocol, local_dest, run FROM tunnels WHERE ${which}
  ON CONFLICT (device_seq, protocol, local_dest) DO UPDATE SET run = excluded.run`;
const MARK_ONE = mark('name = ?');

export interface DeletedTunnel {
  name: string;
  deviceId: string;
}
const RETURNING_DELETED = `RETURNING name, device_seq AS "deviceSeq",
  (SELECT id FROM devices WHERE seq = device_seq) AS "deviceId"`;

/** The condition that a tunnel's device is in the scope. */
function ofScope({ dialect }: Reader, scope: Scope): { sql: string; values: SqlValue[] } {
  const own = inGroups(dialect, scope, 'devices.grp');
  const sql = own.sql && ` AND EXISTS (SELECT 1 FROM devices WHERE devices.seq = device_seq${own.sql})`;
  return { sql: `account_id = ?${sql}`, values: [scope.accountId, ...own.values] };
}

/** Deletes a tunnel, or throws a 404 if the scope has none of this name. */
export async function deleteTunnel(tx: Tx, scope: Scope, name: string): Promise<DeletedTunnel> {
  const [deleted] = await deleteWhere(tx, scope, { sql: 'name = ? AND ', values: [name] });
  if (!deleted) throw notFound('tunnel', name);
  return deleted;
}

/** Deletes all tunnels in the scope. */
export const deleteTunnels = (tx: Tx, scope: Scope): Promise<DeletedTunnel[]> =>
  deleteWhere(tx, scope, { sql: '', values: [] });

async function deleteWhere(tx: Tx, scope: Scope, which: { sql: string; values: SqlValue[] }): Promise<DeletedTunnel[]> {
  const own = ofScope(tx, scope);
  const where = which.sql + own.sql;
  const values = [...which.values, ...own.values];
  await tx.run(mark(where), ...values);
  const deleted = await tx.all<DeletedTunnel & { deviceSeq: number }>(
    `DELETE FROM tunnels WHERE ${where} ${RETURNING_DELETED}`,
    ...values,
  );
  tx.syncAgents(...deleted.map(({ deviceSeq }) => deviceSeq));
  return deleted;
}

/** Closes a tunnel on the service's own decision; false if it no longer exists. */
export async function closeTunnel(tx: Tx, name: string): Promise<boolean> {
  await tx.run(MARK_ONE, name);
  return (await tx.run('DELETE FROM tunnels WHERE name = ?', name)).changes > 0;
}
