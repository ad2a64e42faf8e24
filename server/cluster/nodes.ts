// The registry of nodes in PostgreSQL. Each node renews its row by the database's clock; any node removes rows that were
// not renewed, and marks the devices of such nodes Offline. One node at a time holds the lease of the leader, which does
// what must be done once.
//
// Renewals do not wait for units of work or for the lock of writers: a node with long writes is not a dead one. A removal
// deletes the row that a renewal updates, so that only one of them takes place; a node that comes too late learns it.
//
// Times on this machine are monotonic, and count from before a renewal was sent: a node stops considering itself the
// leader before another one can become it.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config-error.ts';
import { singleFlight } from '../single-flight.ts';
import { log } from '../operation/log.ts';
import type { Reader, Tx } from '../store/database.ts';
import { ONLINE } from '../store/devices.ts';
import type { PostgresDatabase } from '../store/postgres.ts';
import { renewVersions } from '../store/versions.ts';

export interface NodesOptions {
  db: PostgresDatabase;
  /** Id of this node. */
  id: string;
  /** CLUSTER_SECRET. */
  secret: string | undefined;
  /** Names the database in errors. */
  where: string;
  /** The other nodes considered this one dead: what they did since is not known here. */
  wasGone: () => void;
  times?: { renewMs: number; leaseMs: number } | undefined;
  /** The clock of this machine. */
  wall?: (() => number) | undefined;
}

export interface Nodes {
  /** Whether no other node was there when this one joined. */
  isAlone: boolean;
  isLeader(): boolean;
  /** Whether there was another node when this one last renewed its lease. */
  hasOthers(): boolean;
  /** By how many milliseconds the clock of this machine is ahead of the database's, and whether that is too much. */
  clockAheadMs(): number;
  isClockWrong(): boolean;
  /** Where the others reach this node; to be set when it listens. */
  listening(url: string): Promise<void>;
  /** Leaves: another node may become the leader at once. */
  close(): Promise<void>;
}

const TIMES = { renewMs: 2_000, leaseMs: 10_000 };
const WAIT_POLL_MS = 250;
const LEADER = 'leader';
/** Times of agents, jobs and sessions are compared across nodes. */
const MOST_CLOCK_MS = 5_000;
/** Devices that one unit of work marks Offline: other writes run in between. */
const PORTION = 2_000;
const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

const proofOf = (secret: string | undefined) =>
  secret === undefined ? '' : createHmac('sha256', secret).update('muster node').digest('base64url');

/** The other nodes that are alive. */
const others = (db: Reader, id: string) =>
  db.all<{ url: string; secret_proof: string }>(
    `SELECT url, secret_proof FROM nodes WHERE id <> ? AND expires > ${NOW}`,
    id,
  );

/** Joins the nodes of the database, or throws why this one may not. */
export async function joinNodes({
  db,
  id,
  secret,
  where,
  wasGone,
  times = TIMES,
  wall = Date.now,
}: NodesOptions): Promise<Nodes> {
  let url = '';
  let leaderUntil = 0;
  let hasOthers = false;
  let clockAheadMs = 0;
  const isClockWrong = () => Math.abs(clockAheadMs) > MOST_CLOCK_MS;
  const compareClock = (here: number, there: number) => {
    const wasWrong = isClockWrong();
    clockAheadMs = Math.round(here - there);
    if (!wasWrong && isClockWrong()) {
      const span = `${Math.round(Math.abs(clockAheadMs) / 1000)} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'}`;
      log.warn(
        `The clock of this machine is ${span} the clock of the database at ${where}: let NTP set both (timedatectl set-ntp true).`,
      );
    }
    if (wasWrong && !isClockWrong()) log.info('The clock of this machine agrees with the clock of the database again.');
  };

  const register = (tx: Tx) =>
    tx.run(
      `INSERT INTO nodes (id, url, secret_proof, expires) VALUES (?, ?, ?, ${NOW} + ?)`,
      id,
      url,
      proofOf(secret),
      times.leaseMs,
    );

  const gone: GoneNode[] = [];
  const join = () =>
    db.write(async (tx) => {
      // Until this unit ends, no other node renews its lease: one that counts as gone here stays so.
      await tx.all('SELECT id FROM nodes FOR UPDATE');
      const present = await others(tx, id);
      const refusing = present.filter((node) => secret === undefined || node.secret_proof !== proofOf(secret));
      if (refusing.length === 0) {
        gone.push(...(await deleteGone(tx)));
        // A database that nothing used may have been restored.
        if (present.length === 0) await renewVersions(tx);
        await register(tx);
      }
      return { isAlone: present.length === 0, refusing };
    });

  const renew = async () => {
    const asked = performance.now();
    const before = wall();
    const present = await db.direct<{ others: number; now: number }>(
      `UPDATE nodes SET expires = ${NOW} + ?, url = ? WHERE id = ?
       RETURNING (SELECT count(*) FROM nodes) - 1 AS others, ${NOW} AS now`,
      times.leaseMs,
      url,
      id,
    );
    if (present.length === 0) {
      leaderUntil = 0;
      await db.write(register);
      log.warn('The other nodes had to assume that this one was gone: its agents connect again.');
      wasGone();
      return;
    }
    hasOthers = (present[0]?.others ?? 0) > 0;
    // The database looked at its clock between the two.
    if (present[0]) compareClock((before + wall()) / 2, present[0].now);
    const leads = await db.direct(
      `INSERT INTO leases (name, node, expires) VALUES (?, ?, ${NOW} + ?)
       ON CONFLICT (name) DO UPDATE SET node = excluded.node, expires = excluded.expires
         WHERE leases.node = excluded.node OR leases.expires < ${NOW} RETURNING node`,
      LEADER,
      id,
      times.leaseMs,
    );
    leaderUntil = leads.length > 0 ? asked + times.leaseMs : 0;
  };
  /**
   * Devices of nodes that are gone may still be Online. At the start, those of nodes that left before their last writes;
   * to find them, all devices that are Online are read.
   */
  let isUnmarked = true;
  const removeOthers = async () => {
    if (await db.get(`SELECT id FROM nodes WHERE expires <= ${NOW} LIMIT 1`)) {
      gone.push(...(await db.write(deleteGone)));
      isUnmarked = true;
    }
    if (!isUnmarked) return;
    const marked = await markOffline(db);
    // After an error it continues with the next renewal. If this node ends first, another one continues.
    isUnmarked = false;
    for (const node of gone.splice(0))
      log.warn('A node did not renew its lease: it counts as gone.', {
        node: node.id,
        url: node.url,
        devicesMarkedOffline: marked,
      });
  };

  // A node that ended without leaving counts as present until its lease ends: one without a secret may start again.
  const deadline = performance.now() + times.leaseMs + times.renewMs;
  let joined = await join();
  for (; joined.refusing.length > 0; joined = await join()) {
    if (secret !== undefined || performance.now() > deadline)
      throw new ConfigError(refusalOf(joined.refusing, where, secret));
    await sleep(WAIT_POLL_MS);
  }
  await renew();

  const renewing = singleFlight('nodes: could not renew the lease of this node', renew);
  const removing = singleFlight('nodes: could not remove nodes that are gone', removeOthers);
  const timer = setInterval(() => {
    void renewing.run();
    void removing.run();
  }, times.renewMs).unref();
  await removing.run();

  return {
    isAlone: joined.isAlone,
    isLeader: () => performance.now() < leaderUntil,
    hasOthers: () => hasOthers,
    clockAheadMs: () => clockAheadMs,
    isClockWrong,
    listening: async (at) => {
      url = at;
      await db.direct('UPDATE nodes SET url = ? WHERE id = ?', at, id);
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([renewing.settled(), removing.settled()]);
      leaderUntil = 0;
      // Without this, its lease ends by itself, and another node marks all devices that have to be.
      if (isUnmarked) return;
      await db
        .write(async (tx) => {
          await tx.run('DELETE FROM nodes WHERE id = ?', id);
          await tx.run('DELETE FROM leases WHERE node = ?', id);
        })
        .catch(() => {});
    },
  };
}

function refusalOf(nodes: { url: string }[], where: string, secret: string | undefined): string {
  const named = nodes.map((node) => node.url || 'one that is starting').join(', ');
  return secret === undefined
    ? `Another node uses ${where} (${named}): give all nodes the same CLUSTER_SECRET, or this service a database of its own with DATABASE_URL.`
    : `Another node uses ${where} (${named}) with another CLUSTER_SECRET: give all nodes the same one.`;
}

interface GoneNode {
  id: string;
  url: string;
}

/** Removes the nodes whose lease ended. */
const deleteGone = (tx: Tx) => tx.all<GoneNode>(`DELETE FROM nodes WHERE expires <= ${NOW} RETURNING id, url`);

/** Marks what was connected to nodes that are not there any more as disconnected; returns how many devices. */
async function markOffline(db: PostgresDatabase): Promise<number> {
  for (let marked = 0; ;) {
    const changed = await db.write(async (tx) => {
      const { changes } = await tx.run(
        `UPDATE devices SET online = 0 WHERE seq IN (
           SELECT seq FROM devices WHERE online = 1 AND node NOT IN (SELECT id FROM nodes) LIMIT ${PORTION})`,
      );
      if (changes > 0) tx.bump(ONLINE);
      if (changes < PORTION)
        await tx.run(
          'UPDATE tunnels SET connected = NULL WHERE connected IS NOT NULL AND device_seq IN (SELECT seq FROM devices WHERE online = 0)',
        );
      return changes;
    });
    marked += changed;
    if (changed < PORTION) return marked;
  }
}

/** Devices of this node whose agents have something to do according to the tables. */
export async function devicesWithWork(db: Reader, node: string): Promise<number[]> {
  const rows = await db.all<{ seq: number }>(
    `SELECT seq FROM devices WHERE node = ?1 AND online = 1 AND (
       update_asked <> ''
       OR EXISTS (SELECT 1 FROM jobs WHERE device_seq = devices.seq AND status IN ('Waiting', 'Running')
                  AND (journal IS NULL OR stop_asked IS NOT NULL))
       OR EXISTS (SELECT 1 FROM closed_tunnels WHERE device_seq = devices.seq)
       OR EXISTS (SELECT 1 FROM tunnels WHERE device_seq = devices.seq AND requested = 1))`,
    node,
  );
  return rows.map(({ seq }) => seq);
}

/** Connected devices whose session is over: their agents connected to another node, or their keys were replaced. */
export async function endedSessions(
  db: Reader,
  node: string,
  connected: Iterable<{ deviceSeq: number; session: number }>,
): Promise<number[]> {
  const rows = await db.all<{ seq: number; session: number }>(
    'SELECT seq, session FROM devices WHERE node = ? AND online = 1',
    node,
  );
  const sessions = new Map(rows.map(({ seq, session }) => [seq, session]));
  return [...connected]
    .filter(({ deviceSeq, session }) => session > 0 && sessions.get(deviceSeq) !== session)
    .map(({ deviceSeq }) => deviceSeq);
}
