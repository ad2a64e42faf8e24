// What bulk work does to one device or job, and what became of it in words for people.
import type { BulkValues } from '#/contract/bulk.ts';
import type { DeviceChange, Position } from '#/contract/devices.ts';
import type { Actor } from '../store/caller.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import { Conflict, LimitReached, Refusal } from '../store/errors.ts';
import type { BulkRow, Earlier, ItemOutcome, StoredDraft } from '../store/bulk.ts';
import { archiveJob, restoreJob } from '../store/archive.ts';
import type { Audit } from '../store/audit.ts';
import type { Tx } from '../store/database.ts';
import { deviceValues } from '../store/devices.ts';
import type { DeviceRow, DeviceValues } from '../store/devices.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { assignedDevicesOf } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { isInScope } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { hasTag } from '../store/tags.ts';
import type { TagOrRefusal } from '../store/tags.ts';
import type { DeviceActions } from './device-actions.ts';

export interface BulkItems {
  /** `tagIds`: of all tags in the draft. */
  create(tx: Tx, caller: Actor, draft: StoredDraft, tagIds: ReadonlyMap<string, TagOrRefusal>): Promise<ItemOutcome>;
  doToDevice(tx: Tx, caller: Actor, bulk: BulkRow, device: DeviceRow, values: BulkValues): Promise<ItemOutcome>;
  /** Puts back the earlier values that nobody has changed since. */
  undo(tx: Tx, caller: Actor, scope: Scope, device: DeviceRow, earlier: Earlier): Promise<ItemOutcome>;
  /** Undefined: agents have it under way; it is removed when they have stopped it. */
  doToJob(
    tx: Tx,
    caller: Actor,
    bulk: BulkRow,
    row: JobRow,
    values: BulkValues,
    parents: TouchedParents,
  ): Promise<ItemOutcome | undefined>;
}

export const done = (name: string): ItemOutcome => ({ name, outcome: 'Done', because: '' });
const skipped = (because: string, name: string): ItemOutcome => ({ name, outcome: 'Skipped', because });
export const gone = (): ItemOutcome => skipped('It no longer exists', '');
export const failed = (name: string, because: string): ItemOutcome => ({ name, outcome: 'Failed', because });
export const nameOfJob = ({ name, device_name: device }: JobRow): string =>
  device === '' ? name : `${name} · ${device}`;

/** The words of a refusal for the person who reads the result. */
export const refusalText = ({ message, detail }: Refusal): string => [message, detail].filter(Boolean).join('. ');

interface ItemsOptions {
  audit: Audit;
  now: () => number;
  actions: DeviceActions;
  dispatch: Pick<Dispatch, 'stopIn' | 'removeIn'>;
}

const CHANGED_SINCE = 'It was changed since';
const FIELD_WORDS = {
  DeviceName: 'name',
  DeviceGroup: 'group',
  CustomerName: 'customer',
  CustomerSite: 'site',
} as const;
const FIELDS = Object.keys(FIELD_WORDS) as (keyof typeof FIELD_WORDS)[];

/** The stored values that differ from the wanted ones, each with the value that replaces it. A location counts as one. */
function replacedBy(wanted: Partial<DeviceValues>, stored: DeviceValues | undefined): Earlier {
  const { Lat, Lng } = wanted;
  const isMoved = Lat !== stored?.Lat || Lng !== stored?.Lng;
  const pairs = Object.entries(wanted).flatMap(([field, value]) => {
    if (value === undefined || !stored) return [];
    const before = stored[field as keyof DeviceValues];
    const after = typeof value === 'string' ? value.toWellFormed() : value;
    const isSame = field === 'Lat' || field === 'Lng' ? !isMoved : before === after;
    return isSame ? [] : [[field, [before, after]]];
  });
  return Object.fromEntries(pairs) as Earlier;
}

/** Why a job cannot be archived; undefined if it can. */
function notArchivable(row: JobRow, name: string): ItemOutcome | undefined {
  if (row.parent_seq !== null) return failed(name, 'It is one device of a job: the whole job can be archived');
  if (row.archived !== null) return skipped('It is archived already', name);
  if (row.ended !== null) return undefined;
  return failed(name, row.status === 'Waiting' ? 'It has not run yet' : 'It is still running');
}

export const openBulkItems = ({ actions, dispatch, audit, now }: ItemsOptions): BulkItems => ({
  create: async (tx, caller, { KeyHash, Tags = [], Lat, Lng, ...draft }, tagIds) => {
    const name = draft.DeviceName;
    const tags: string[] = [];
    for (const tag of new Set(Tags)) {
      const found = tagIds.get(tag);
      if (found instanceof Refusal) return failed(name, refusalText(found));
      if (found !== undefined) tags.push(found);
    }
    try {
      const device = await actions.create(tx, caller, draft, Buffer.from(KeyHash, 'hex'));
      if (Lat !== undefined && Lng !== undefined) await actions.locate(tx, caller, device, { Lat, Lng });
      for (const tag of tags) await actions.attach(tx, caller, device, tag);
      return { id: device.id, ...done(name) };
    } catch (cause) {
      // No room in the account: the database has refused nothing, so that the unit of work can go on.
      if (cause instanceof LimitReached) return failed(name, refusalText(cause));
      throw cause;
    }
  },

  doToDevice: async (tx, caller, { action }, device, values) => {
    const { TagId = '', Lat, Lng, OnlyWaiting: _, ...change } = values;
    const { name } = device;
    if (action === 'tag')
      return (await actions.attach(tx, caller, device, TagId))
        ? { ...done(name), earlier: { TagId: ['', TagId] } }
        : skipped('It has the tag already', name);
    if (action === 'untag')
      return (await actions.detach(tx, caller, device, TagId))
        ? { ...done(name), earlier: { TagId: [TagId, ''] } }
        : skipped('It does not have the tag', name);
    if (action === 'delete') {
      await actions.remove(tx, caller, device);
      return done(name);
    }
    if (action === 'rotateKey') {
      try {
        await actions.rotateKey(tx, caller, device);
        return done(name);
      } catch (cause) {
        // Nothing was written, so that the unit of work can go on.
        if (cause instanceof Conflict) return failed(name, refusalText(cause));
        throw cause;
      }
    }
    const position = Lat === undefined || Lng === undefined ? undefined : { Lat, Lng };
    const stored = await deviceValues(tx, device.seq);
    const earlier = replacedBy({ ...change, ...position }, stored);
    if (Object.keys(earlier).length === 0) return skipped('It is so already', name);
    if (Object.values(change).some((value) => value !== undefined)) await actions.update(tx, caller, device, change);
    if (position) await actions.locate(tx, caller, device, position);
    return { ...done(name), earlier };
  },

  undo: async (tx, caller, scope, device, { TagId, Lat, Lng, ...fields }) => {
    const { name } = device;
    if (TagId) {
      const [before = '', after = ''] = TagId;
      const tag = before || after;
      if ((await hasTag(tx, device.seq, tag)) !== (after !== '')) return skipped(CHANGED_SINCE, name);
      if (after === '') await actions.attach(tx, caller, device, tag);
      else await actions.detach(tx, caller, device, tag);
      return done(name);
    }
    const stored = await deviceValues(tx, device.seq);
    const change: DeviceChange = {};
    const changedSince: string[] = [];
    for (const field of FIELDS) {
      const [before, after] = fields[field] ?? [];
      if (before === undefined) continue;
      if (stored?.[field] === after) change[field] = before;
      else changedSince.push(FIELD_WORDS[field]);
    }
    let place: Position | undefined;
    if (Lat && Lng) {
      if (stored?.Lat === Lat[1] && stored?.Lng === Lng[1]) place = { Lat: Lat[0] ?? 0, Lng: Lng[0] ?? 0 };
      else changedSince.push('location');
    }
    if (change.DeviceGroup !== undefined && !isInScope(scope, change.DeviceGroup))
      return failed(name, 'Its earlier group is outside the groups of your role');
    const because = changedSince.length > 0 ? `Changed since, and left as it is: ${changedSince.join(', ')}` : '';
    const isPutBack = Object.keys(change).length > 0;
    if (!isPutBack && !place) return skipped(because, name);
    if (isPutBack) await actions.update(tx, caller, device, change);
    if (place) await actions.locate(tx, caller, device, place);
    return { ...done(name), because };
  },

  doToJob: async (tx, caller, { action }, row, { OnlyWaiting = false }, parents) => {
    const name = nameOfJob(row);
    if (action === 'archive') {
      const because = notArchivable(row, name);
      if (because) return because;
      await archiveJob(tx, row.seq, now());
      await audit.record(tx, caller, 'job.archive', row.id);
      return done(name);
    }
    if (action === 'unarchive') {
      if (row.archived === null || row.parent_seq !== null) return skipped('It is not archived', name);
      await restoreJob(tx, row.seq);
      await audit.record(tx, caller, 'job.unarchive', row.id);
      return done(name);
    }
    // Most jobs of devices show by themselves that no agent has them under way.
    const isIdle = row.device_seq !== null && (row.journal === null || row.ended !== null);
    const assigned = isIdle ? [] : await assignedDevicesOf(tx, row.seq);
    if (action === 'delete')
      return (await dispatch.removeIn(tx, caller, row, assigned, parents)) ? done(name) : undefined;
    if (OnlyWaiting && row.status === 'Running') return skipped('It has already started', name);
    if (OnlyWaiting && row.status === 'Waiting' && assigned.length > 0)
      return skipped('It is being sent to its device', name);
    const { Cancelled, Stopping } = await dispatch.stopIn(tx, caller, row, assigned, parents);
    return Cancelled + Stopping > 0 ? done(name) : skipped('It has already ended', name);
  },
});
