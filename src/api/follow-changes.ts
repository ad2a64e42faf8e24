// Applies a reported change to the query cache: devices are patched, everything else is refetched. A query that nothing
// shows is only marked as stale, and refetched when it is shown.
import type { Query, QueryClient } from '@tanstack/react-query';
import { deviceEndpoints } from '#/contract/devices.ts';
import { resourceName } from '#/contract/resource.ts';
import type { DeviceChanges, DeviceFeed } from './device-feed.ts';
import { bulkReports, isReported } from './live.ts';
import type { Report } from './live-connection.ts';
import { isAffected, objectOf, requestOfQuery, type ReadingMeta, type RowChanges } from './query.ts';
import { Refetcher } from './refetcher.ts';

/** Least milliseconds between two refetches of a query that many changes may affect. */
const SLOW_SPACING = 5_000;
/** Lists with more rows than this are not refetched for each change. */
const LONG = 500;

const { name: DEVICES, id: DEVICE_ID } = deviceEndpoints.page.resource;

export class ChangeFollower {
  private readonly client: QueryClient;
  private readonly feed: DeviceFeed;
  private readonly refetcher: Refetcher;

  constructor(client: QueryClient, feed: DeviceFeed) {
    this.client = client;
    this.feed = feed;
    this.refetcher = new Refetcher(client);
    feed.subscribe((changes) => this.patchDevices(changes));
  }

  /** `isFleetUsed`: whether any part of the page shows the fleet without a query. */
  report(change: Report, isFleetUsed: boolean): void {
    const names = change === 'everything' ? undefined : Object.keys(change).map(resourceName);
    if (!names || names.includes(DEVICES)) this.followDevices(isFleetUsed);
    for (const query of this.client.getQueryCache().findAll({ predicate: isReported })) {
      const { operation, readWith, patch } = metaOf(query);
      if (readWith !== undefined || patch !== undefined) continue;
      if (change === 'everything') this.read(query);
      else if (isAffected(query, names ?? [])) {
        if (names?.length === 1 && change.Devices && isOfOther(query, change.Devices)) continue;
        const own = Object.entries(change).find(([name]) => resourceName(name) === operation.resource.name);
        if (own ? isAbout(query, own[1]) : !hasEnded(query)) this.read(query, own ? undefined : SLOW_SPACING);
      }
    }
    if (!names || names.includes('bulk')) bulkReports.notify();
  }

  /** The connection is lost: polls everything, starting now. */
  pollEverything(): void {
    void this.client.invalidateQueries({ predicate: isReported });
  }

  private read(query: Query, space?: number): void {
    const { spacing } = metaOf(query);
    this.refetcher.refetch(query, spacing ?? (isLong(query.state.data) ? SLOW_SPACING : space));
  }

  // ---- Devices -----------------------------------------------------------------------------------------------------

  private followDevices(isFleetUsed: boolean): void {
    const findShown = () => this.client.getQueryCache().findAll({ predicate: isPatched });
    if (!isFleetUsed && !findShown().some((query) => query.isActive())) {
      for (const query of findShown()) query.invalidate();
      this.feed.hasMissed = true;
      return;
    }
    // Without an earlier version, `begin` takes the current one, and changes read from it on lack the one being reported.
    const isComplete = this.feed.hasVersion;
    void this.feed.begin().then((isOffered) => {
      const refetchShown = () => {
        for (const query of findShown()) this.refetcher.refetch(query, SLOW_SPACING);
      };
      if (!isOffered || !isComplete) refetchShown();
      // Nothing may report this change again, and the refetch itself shows why it failed.
      else this.feed.catchUp().catch(refetchShown);
    });
  }

  private patchDevices({ reset, changed, removed }: DeviceChanges): void {
    const changes = { changed: new Map(changed.map(({ device }) => [device.DeviceId, device])), removed };
    for (const query of this.client.getQueryCache().findAll({ predicate: isPatched })) {
      const next = reset ? undefined : patched(query, changes);
      // The result of a running fetch may be older than the change.
      if (next === undefined || query.state.fetchStatus !== 'idle') this.refetcher.refetch(query, SLOW_SPACING);
      else if (next !== query.state.data) this.client.setQueryData(query.queryKey, next);
    }
  }
}

/** The meta data that every query of the contract has. */
const metaOf = ({ meta }: Query) => meta as unknown as ReadingMeta;

const isPatched = (query: Query): boolean => query.meta?.patch !== undefined;

const patched = (query: Query, changes: RowChanges): unknown =>
  query.state.data === undefined ? undefined : metaOf(query).patch?.(query.state.data, changes);

/** Whether a query shows one of the reported objects, or a list that may contain them. */
function isAbout(query: Query, reported: readonly string[] | 'many' | true): boolean {
  if (typeof reported !== 'object') return true;
  const { operation, reportedAs } = metaOf(query);
  const { data } = query.state;
  const ids = [objectOf(operation, requestOfQuery(query)), data === undefined ? undefined : reportedAs?.(data)];
  return ids.every((id) => id === undefined) || ids.some((id) => id !== undefined && reported.includes(id));
}

/** Whether a query follows one device, as its timeline does, and only others changed. */
const isOfOther = (query: Query, devices: readonly string[] | 'many' | true) =>
  metaOf(query).operation.resource.id === DEVICE_ID && !isAbout(query, devices);

function hasEnded(query: Query): boolean {
  const { data } = query.state;
  return data !== undefined && metaOf(query).isOver?.(data) === true;
}

const isLong = (data: unknown) => (Array.isArray(data) ? data.length : data instanceof Map ? data.size : 0) > LONG;
