// This service among the others that use the same database, its "nodes". A service with an embedded database is alone.
//
// What concerns a device's agent is written to the tables first. The node that the agent is connected to then reads them:
// when a message arrives over the bus, or on a timer if that was lost.
import type { Database, Tx } from '../store/database.ts';
import { singleFlight } from '../single-flight.ts';
import type { PostgresDatabase } from '../store/postgres.ts';
import type { Bus, BusOptions } from './bus.ts';
import { devicesWithWork, endedSessions, joinNodes } from './nodes.ts';
import type { Nodes } from './nodes.ts';

export interface Cluster {
  /** Id of this node; another one after each start. */
  id: string;
  /** Whether no other node was there when this one joined. */
  isAlone: boolean;
  /** Whether this node does what must be done once: one node at a time. */
  isLeader(): boolean;
  /** By how many milliseconds the clock of this machine is ahead of the shared database's, and whether that is too much. */
  clockAheadMs(): number;
  isClockWrong(): boolean;
  /** Calls back with devices whose agents may have to be sent something: what changed, at any node, is in the tables. */
  onSyncAgents(listener: (deviceSeqs: number[]) => void): void;
  /** Has a node do so for devices whose agents were connected to it. Part of the unit of work. */
  syncAgentsAt(tx: Tx, node: string, deviceSeqs: number[]): Promise<void>;
  /** Where another node is reached; undefined if it is gone. */
  urlOf(node: string): Promise<string | undefined>;
  /** Tells the others where they reach this node. */
  listening(url: string): Promise<void>;
  close(): Promise<void>;
}

/** A service that has its database for itself. */
export const singleNode = (id: string, db: Pick<Database, 'onSyncAgents'>): Cluster => ({
  id,
  isAlone: true,
  isLeader: () => true,
  clockAheadMs: () => 0,
  isClockWrong: () => false,
  onSyncAgents: (listener) => db.onSyncAgents(listener),
  syncAgentsAt: async () => {},
  urlOf: async () => undefined,
  listening: async () => {},
  close: async () => {},
});

export interface ClusterOptions {
  id: string;
  db: PostgresDatabase;
  secret: string | undefined;
  /** Names the database in errors. */
  where: string;
  openBus: (options: BusOptions) => Promise<Bus>;
  /** The agents that are connected to this node. */
  connected: () => Iterable<{ deviceSeq: number; session: number }>;
  /** Ends the connections of all agents, which connect again: to another node, behind a load balancer. */
  reconnectAll: (reason: string) => void;
  /** Ends the streams of all dashboards, which open them again. */
  endStreams: () => void;
  times?: { renewMs: number; leaseMs: number; rescanMs: number } | undefined;
  /** The clock of this machine. */
  wall?: (() => number) | undefined;
}

const RESCAN_MS = 15_000;
/** Agents of the only node have nowhere else to go: they stay while PostgreSQL restarts or fails over. */
const ALONE_MS = 60_000;

/** Joins the nodes of a database in PostgreSQL. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { id, db, times } = options;
  const listeners: ((deviceSeqs: number[]) => void)[] = [];
  const syncAgents = (deviceSeqs: number[]) => {
    if (deviceSeqs.length > 0) for (const listener of listeners) listener(deviceSeqs);
  };

  /** Finds what lost messages were about. */
  const scanning = singleFlight('nodes: could not look for changes by other nodes', async () =>
    syncAgents([...(await devicesWithWork(db, id)), ...(await endedSessions(db, id, options.connected()))]),
  );
  const rescan = () => void scanning.run();

  const nodes: Nodes = await joinNodes({
    ...options,
    wasGone: () => options.reconnectAll('The other nodes took this one for dead'),
  });
  const bus = await options
    .openBus({ node: id, received: syncAgents, missed: rescan })
    .catch(async (cause: unknown) => {
      await nodes.close();
      throw cause;
    });
  const timer = setInterval(rescan, times?.rescanMs ?? RESCAN_MS).unref();
  db.onSyncAgents(syncAgents);
  let leaving: NodeJS.Timeout | undefined;
  const sendAway = () => {
    options.endStreams();
    options.reconnectAll('This node cannot reach its database');
  };
  db.onReach((isReachable) => {
    clearTimeout(leaving);
    if (isReachable) rescan();
    else leaving = setTimeout(sendAway, nodes.hasOthers() ? 0 : ALONE_MS).unref();
  });
  db.announceBy(async (tx, deviceSeqs) => {
    for (const [node, seqs] of await holdersOf(tx, id, deviceSeqs)) await bus.send(tx, node, seqs);
  });

  return {
    id,
    isAlone: nodes.isAlone,
    isLeader: () => nodes.isLeader(),
    clockAheadMs: () => nodes.clockAheadMs(),
    isClockWrong: () => nodes.isClockWrong(),
    onSyncAgents: (listener) => void listeners.push(listener),
    syncAgentsAt: (tx, node, deviceSeqs) => bus.send(tx, node, deviceSeqs),
    urlOf: async (node) => (await db.get<{ url: string }>('SELECT url FROM nodes WHERE id = ?', node))?.url,
    listening: (url) => nodes.listening(url),
    close: async () => {
      clearInterval(timer);
      clearTimeout(leaving);
      await scanning.settled();
      await bus.close();
      await nodes.close();
    },
  };
}

/** The other nodes that agents of these devices may be connected to: of a deleted device, each. */
async function holdersOf(tx: Tx, id: string, deviceSeqs: number[]): Promise<Map<string, number[]>> {
  const nodes = await tx.all<{ id: string }>('SELECT id FROM nodes WHERE id <> ?', id);
  const holders = new Map(nodes.map((node) => [node.id, [] as number[]]));
  if (holders.size === 0) return holders;
  const rows = await tx.all<{ seq: number; node: string | null }>(
    `SELECT CAST(asked.value AS BIGINT) AS seq, node FROM ${tx.dialect.list('asked')}
     LEFT JOIN devices ON devices.seq = CAST(asked.value AS BIGINT)`,
    JSON.stringify(deviceSeqs),
  );
  for (const { seq, node } of rows)
    for (const [holder, seqs] of holders) if (node === null || node === holder) seqs.push(seq);
  for (const [holder, seqs] of holders) if (seqs.length === 0) holders.delete(holder);
  return holders;
}
