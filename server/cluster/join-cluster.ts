// The nodes and the bus that the environment asks for.
import type { Config } from '../config.ts';
import { placeOf } from '../database-url.ts';
import type { Database } from '../store/database.ts';
import type { PostgresDatabase } from '../store/postgres.ts';
import { instanceId } from '../store/settings.ts';
import type { Bus, BusOptions } from './bus.ts';
import { openCluster, singleNode } from './cluster.ts';
import type { Cluster, ClusterOptions } from './cluster.ts';
import { openPostgresBus } from './postgres-bus.ts';

interface JoinOptions extends Pick<ClusterOptions, 'id' | 'connected' | 'endStreams' | 'times' | 'wall'> {
  /** Has all agents connect again within this time. */
  sendAway: (withinMs: number, reason: string) => void;
}

/** For agents of a node that the others took for dead, or that is cut off from the database. */
const RECONNECT_WITHIN_MS = 2_000;

/** Joins the nodes of a shared database; a service with an embedded one is alone. */
export async function joinCluster(
  { databaseUrl, clusterSecret, busUrl }: Config,
  { db, shared }: { db: Database; shared?: PostgresDatabase },
  { sendAway, ...options }: JoinOptions,
): Promise<Cluster> {
  if (!shared || !databaseUrl) return singleNode(options.id, db);
  const prefix = `muster.${await db.write(instanceId)}`;
  const openBus = async (bus: BusOptions): Promise<Bus> => {
    if (!busUrl) return openPostgresBus({ ...bus, url: databaseUrl });
    // Only a service that uses NATS loads its code.
    const { openNatsBus } = await import('./nats-bus.ts');
    return openNatsBus({ ...bus, url: busUrl, prefix });
  };
  return openCluster({
    ...options,
    db: shared,
    secret: clusterSecret,
    where: placeOf(databaseUrl),
    openBus,
    reconnectAll: (reason) => sendAway(RECONNECT_WITHIN_MS, reason),
  });
}
