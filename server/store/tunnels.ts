// Tunnels that devices have opened, and those that people opened here ("requested"). A row belongs to a destination on a
// device and keeps its name when the agent reconnects. A closed tunnel of a device leaves a mark, so that the process that
// opened it does not reopen it. A requested one exists only here: once deleted, nothing can reopen it.
import { newId } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, SqlValue, Tx } from './database.ts';
import { NO_LIMIT, perDialect } from './dialect.ts';
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
  /** 1 if a person opened it here, and that actor, if known. */
  requested: number;
  openedBy: string;
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
    'SELECT seq, name FROM tunnels WHERE device_seq = ? AND protocol = ? AND local_dest = ? AND requested = 0',
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
    known: await db.all<{
      name: string;
      protocol: Protocol;
      localDest: string;
      port: number | null;
      requested: number;
    }>(
      'SELECT name, protocol, local_dest AS "localDest", port, requested FROM tunnels WHERE device_seq = ?',
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
  await tx.run('UPDATE tunnels SET offered = 0, connected = NULL WHERE device_seq = ? AND requested = 0', deviceSeq);
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
       local_dest AS "localDest", port, tunnels.created, requested, opened_by AS "openedBy", connected, login, idle_seconds AS "idleSeconds", tunnels.expires,
       connections, bytes_in AS "bytesIn", bytes_out AS "bytesOut", nodes.url AS "nodeUrl"
     FROM tunnels JOIN devices ON devices.seq = device_seq LEFT JOIN nodes ON nodes.id = node
     WHERE tunnels.account_id = ? AND offered = 1${own.sql} ORDER BY tunnels.seq`,
    scope.accountId,
    ...own.values,
  );
}

const mark = (which: string) => `INSERT INTO closed_tunnels (device_seq, protocol, local_dest, run)
  SELECT device_seq, protocol, local_dest, run FROM tunnels WHERE requested = 0 AND ${which}
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

/** A tunnel that a person opens here. */
export interface RequestedDraft {
  accountId: number;
  deviceSeq: number;
  protocol: Protocol;
  localDest: string;
  port: number | undefined;
  /** SHA-256 of "user:password" in hexadecimal; '' without a login. */
  loginHash: string;
  idleSeconds: number | undefined;
  expires: number;
  /** The actor. */
  openedBy: string;
}

/** The requested tunnel of a device to this destination. */
export const requestedTo = (
  db: Reader,
  { deviceSeq, protocol, localDest }: Pick<RequestedDraft, 'deviceSeq' | 'protocol' | 'localDest'>,
) =>
  db.get<{ name: string }>(
    'SELECT name FROM tunnels WHERE device_seq = ? AND protocol = ? AND local_dest = ? AND requested = 1',
    deviceSeq,
    protocol,
    localDest,
  );

/** How many tunnels people have opened to a device, and how many of its tunnels have a port. */
export const countTunnels = async (db: Reader, deviceSeq: number): Promise<{ requested: number; ports: number }> =>
  (await db.get<{ requested: number; ports: number }>(
    `SELECT coalesce(sum(requested), 0) AS requested, count(port) AS ports FROM tunnels
     WHERE device_seq = ? AND offered = 1`,
    deviceSeq,
  )) ?? { requested: 0, ports: 0 };

/** Stores a tunnel that a person opens; the node of its agent connects it. Returns its name. */
export async function requestTunnel(tx: Tx, draft: RequestedDraft, now: number): Promise<string> {
  const name = newId(NAME_LENGTH);
  const { accountId, deviceSeq, protocol, localDest, port, loginHash, idleSeconds, expires, openedBy } = draft;
  await tx.run(
    `INSERT INTO tunnels (name, account_id, device_seq, protocol, local_dest, port, login, login_hash, idle_seconds, expires,
       created, opened_by, requested)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
    name,
    accountId,
    deviceSeq,
    protocol,
    localDest,
    port ?? null,
    Number(loginHash !== ''),
    loginHash,
    idleSeconds ?? null,
    expires,
    now,
    openedBy,
  );
  tx.syncAgents(deviceSeq);
  return name;
}

export interface RequestedTunnel {
  name: string;
  deviceSeq: number;
  protocol: Protocol;
  localDest: string;
  port: number | null;
  loginHash: string;
  idleSeconds: number | null;
  expires: number;
}

const REQUESTED = perDialect(
  (
    sql,
  ) => `SELECT name, device_seq AS "deviceSeq", protocol, local_dest AS "localDest", port, login_hash AS "loginHash",
      idle_seconds AS "idleSeconds", expires
    FROM tunnels WHERE requested = 1 AND device_seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})`,
);

/** The requested tunnels of these devices. */
export const requestedTunnels = (db: Reader, deviceSeqs: readonly number[]): Promise<RequestedTunnel[]> =>
  db.all<RequestedTunnel>(REQUESTED(db), JSON.stringify(deviceSeqs));

/** Records that a requested tunnel is connected; false if it was closed. */
export const connectRequested = async (
  tx: Tx,
  { name, port, loginProof }: { name: string; port: number | undefined; loginProof: string },
  now: number,
): Promise<boolean> =>
  (
    await tx.run(
      `UPDATE tunnels SET offered = 1, connected = ?, port = ?, login_proof = ?, connections = 0, bytes_in = 0, bytes_out = 0
       WHERE name = ? AND requested = 1`,
      now,
      port ?? null,
      loginProof,
      name,
    )
  ).changes > 0;

/** The address of a requested tunnel, and whether its agent is connected; undefined if it was closed. */
export const requestedTunnel = (db: Reader, scope: Scope, name: string) => {
  const own = inGroups(db.dialect, scope, 'devices.grp');
  return db.get<{
    protocol: Protocol;
    port: number | null;
    nodeUrl: string | null;
    connected: number | null;
    online: number;
  }>(
    `SELECT protocol, port, nodes.url AS "nodeUrl", connected, online
     FROM tunnels JOIN devices ON devices.seq = device_seq LEFT JOIN nodes ON nodes.id = node
     WHERE tunnels.name = ? AND tunnels.account_id = ? AND requested = 1${own.sql}`,
    name,
    scope.accountId,
    ...own.values,
  );
};

/** Closes requested tunnels whose time is over while no agent was connected, which nothing else would. */
export async function closeExpired(
  tx: Tx,
  now: number,
): Promise<{ name: string; deviceId: string; accountId: number }[]> {
  const closed = await tx.all<{ name: string; deviceId: string; accountId: number; deviceSeq: number }>(
    `DELETE FROM tunnels WHERE requested = 1 AND expires <= ? RETURNING name, device_seq AS "deviceSeq",
       (SELECT id FROM devices WHERE seq = device_seq) AS "deviceId", account_id AS "accountId"`,
    now,
  );
  tx.syncAgents(...closed.map(({ deviceSeq }) => deviceSeq));
  return closed;
}

/** Closes a tunnel on the service's own decision; false if it no longer exists. */
export async function closeTunnel(tx: Tx, name: string): Promise<boolean> {
  await tx.run(MARK_ONE, name);
  return (await tx.run('DELETE FROM tunnels WHERE name = ?', name)).changes > 0;
}
