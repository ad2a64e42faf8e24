// What a reported change does to everything that was read: devices are patched, the rest is read again. Nothing is asked
// for that no part of the page shows; it is marked, and read when it is shown.
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { ChangeEvent } from '#/contract/changes.ts';
import type { Device } from '#/contract/devices.ts';
import { isOver, type RolloutState } from '#/contract/rollouts.ts';
import type { DeviceRows } from './devices.ts';
import type { ReportedDevice, DeviceChanges, DeviceFeed } from './device-feed.ts';
import type { FollowedJob } from './job-output.ts';
import { bulkReports, isReported } from './live.ts';
import { Refetcher } from './refetcher.ts';

/** Milliseconds between two readings of what each change may concern, however often there is one. */
const SELDOM = 5_000;
const VERY_SELDOM = 30_000;
/** Rows. */
const LONG = 500;
/** A device that was created so short a time ago may be new to a list; clocks differ. */
const NEW = 300_000;

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

  /** `isFleetUsed`: whether any part of the page shows the fleet, beside the queries. */
  report(
    { Devices, Jobs, Rollouts, Tunnels, Artifacts, Workflows, Tags, Account, Alerts, Bulk }: ChangeEvent,
    isFleetUsed: boolean,
  ): void {
    if (Devices) this.followDevices(isFleetUsed);
    if (Jobs) this.followJobs(Jobs);
    if (Rollouts) this.followRollouts((id) => Rollouts === 'many' || Rollouts.includes(id));
    else if (Jobs || Devices) this.followRollouts(undefined, Jobs ? undefined : SELDOM);
    if (Tunnels) this.read(['tunnels']);
    if (Artifacts) this.read(['artifacts']);
    if (Workflows) this.read(['workflows']);
    if (Tags) this.read(['tags']);
    if (Account) this.read(['account']);
    if (Alerts) this.read(['alerts']);
    if (Bulk) {
      this.read(['bulk']);
      bulkReports.notify();
    }
  }

  /** Nothing is reported any more: everything is polled, beginning at once. */
  lose(): void {
    void this.client.invalidateQueries({ predicate: isReported });
  }

  // ---- Devices -----------------------------------------------------------------------------------------------------

  private followDevices(isFleetUsed: boolean): void {
    this.read(['devices', 'tagged'], VERY_SELDOM);
    this.read(['arrivals'], SELDOM);
    void this.client.invalidateQueries({ queryKey: ['devices', 'locations'], refetchType: 'none' });
    const findShown = () => this.client.getQueryCache().findAll({ predicate: isOfDevices });
    if (!isFleetUsed && !findShown().some((query) => query.isActive())) {
      for (const query of findShown()) query.invalidate();
      this.feed.hasMissed = true;
      return;
    }
    // The version is taken now: what changed before, the change at hand too, is not in what is read from it on.
    const isComplete = this.feed.hasBegun;
    void this.feed.begin().then((isOffered) => {
      const readAgain = () => {
        for (const query of findShown()) this.refetcher.refetch(query, SELDOM);
      };
      if (!isOffered || !isComplete) readAgain();
      // Nothing may report this change again; and their own reading says why it failed.
      else this.feed.catchUp().catch(readAgain);
    });
  }

  private patchDevices({ reset, changed, removed }: DeviceChanges): void {
    const byId = new Map(changed.map((change) => [change.device.DeviceId, change]));
    for (const query of this.client.getQueryCache().findAll({ predicate: isOfDevices })) {
      const next = reset ? undefined : patched(query, byId, removed);
      // What is under way may be older than the change.
      if (next === undefined || query.state.fetchStatus !== 'idle') this.refetcher.refetch(query, SELDOM);
      else if (next !== query.state.data) this.client.setQueryData(query.queryKey, next);
    }
  }

  // ---- Jobs --------------------------------------------------------------------------------------------------------

  private followJobs(ids: readonly string[] | 'many'): void {
    const isOf = (id: unknown) => ids === 'many' || (typeof id === 'string' && ids.includes(id));
    for (const query of this.client.getQueryCache().findAll({ queryKey: ['jobs'] })) {
      const [, what, id] = query.queryKey;
      const parent = what === 'one' ? (query.state.data as FollowedJob | undefined)?.job.ParentJobId : undefined;
      if (what === 'one' || what === 'children' ? isOf(id) || isOf(parent) : what !== 'runs')
        this.refetcher.refetch(query, what === 'archive' || isLong(query.state.data) ? SELDOM : undefined);
      else if (what === 'runs') query.invalidate();
    }
    this.read(['devices', 'jobs']);
    this.read(['versions'], SELDOM);
    this.read(['orders'], SELDOM);
  }

  // ---- Rollouts ----------------------------------------------------------------------------------------------------

  /** `isSteered`: by id. Without it jobs or devices have changed, and with them the figures of those that are open. */
  private followRollouts(isSteered: ((id: string) => boolean) | undefined, space?: number): void {
    for (const query of this.client.getQueryCache().findAll({ queryKey: ['rollouts'] })) {
      const [, id, part] = query.queryKey;
      const isList = id === undefined;
      const isOpen = () => !isOver(this.client.getQueryData<{ State: RolloutState }>(['rollouts', id])?.State);
      if (isList || (isSteered ? isSteered(id as string) : isOpen()))
        this.refetcher.refetch(query, isSteered && part === undefined ? undefined : isList || part ? SELDOM : space);
    }
  }

  private read(queryKey: QueryKey, space?: number): void {
    for (const query of this.client.getQueryCache().findAll({ queryKey })) this.refetcher.refetch(query, space);
  }
}

/** A list that is read as a whole, in so many rows that it is not worth it for each change. */
const isLong = (data: unknown) => (Array.isArray(data) ? data.length : data instanceof Map ? data.size : 0) > LONG;

const isOfDevices = ({ queryKey: [what, of] }: { queryKey: QueryKey }) =>
  what === 'devices' && (of === 'page' || of === 'one');

/** What a query of devices has now; undefined where it has to be read again. */
function patched(
  { queryKey: [, of, id, , filter], state }: Query,
  changed: ReadonlyMap<string, ReportedDevice>,
  removed: readonly string[],
): Device | DeviceRows | undefined {
  if (of === 'one') {
    const data = state.data as Device | undefined;
    return removed.includes(String(id)) ? undefined : (changed.get(String(id))?.device ?? data);
  }
  const data = state.data as DeviceRows | undefined;
  const isFiltered = Object.values(filter as object).some((value) => value !== undefined && value !== '');
  if (!data || isFiltered || removed.length > 0) return undefined;
  const known = new Set(data.rows.map(({ DeviceId }) => DeviceId));
  const isNew = ({ device }: ReportedDevice) =>
    !known.has(device.DeviceId) && Date.now() - Date.parse(device.CreatedTime ?? '') < NEW;
  if ([...changed.values()].some(isNew)) return undefined;
  if (!data.rows.some(({ DeviceId }) => changed.has(DeviceId))) return data;
  return { ...data, rows: data.rows.map((row) => changed.get(row.DeviceId)?.device ?? row) };
}
