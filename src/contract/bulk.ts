// Bulk work, an addition: one change of thousands of devices or jobs, which the service carries out by itself.
import * as z from 'zod/mini';
import { number, pageFields, pathId, text } from '#/contract/endpoint.ts';
import { deviceChangeFields, positionFields } from '#/contract/devices.ts';
import { resource } from '#/contract/resource.ts';

/** Most devices or jobs of one request. */
const MAX_BULK_ITEMS = 50_000;
/** A new key is shown once, in the answer: those of more devices would be lost together with one lost answer. */
const MAX_BULK_KEYS = 200;

const ACTIONS = ['edit', 'tag', 'untag', 'delete', 'stop', 'archive', 'unarchive', 'newKey'] as const;
export type BulkAction = (typeof ACTIONS)[number];

const id = z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255));
const ids = z
  .array(id)
  .check(
    z.minLength(1, 'must name at least one'),
    z.maxLength(MAX_BULK_ITEMS, `must name at most ${MAX_BULK_ITEMS.toLocaleString('en')}`),
  );

/** `edit`: the fields of a device, Lat and Lng only together. `tag` and `untag`: TagId. `stop`: OnlyWaiting. */
const bulkValues = z.object({
  ...deviceChangeFields,
  Lat: z.optional(positionFields.Lat),
  Lng: z.optional(positionFields.Lng),
  TagId: z.optional(id),
  /** Cancels jobs that wait, and skips those that agents have begun. */
  OnlyWaiting: z.optional(z.boolean()),
});
export type BulkValues = z.output<typeof bulkValues>;

const TAKES: Record<BulkAction, { of: ('Devices' | 'Jobs')[]; values: (keyof BulkValues)[] }> = {
  edit: { of: ['Devices'], values: ['DeviceName', 'DeviceGroup', 'CustomerName', 'CustomerSite', 'Lat', 'Lng'] },
  tag: { of: ['Devices'], values: ['TagId'] },
  untag: { of: ['Devices'], values: ['TagId'] },
  delete: { of: ['Devices', 'Jobs'], values: [] },
  stop: { of: ['Jobs'], values: ['OnlyWaiting'] },
  archive: { of: ['Jobs'], values: [] },
  unarchive: { of: ['Jobs'], values: [] },
  newKey: { of: ['Devices'], values: [] },
};

/** Body of create. Ids that occur twice count once; a value that the action does not take is refused. */
export const bulkDraft = z
  .object({
    Action: z.enum(ACTIONS, `must be one of ${ACTIONS.join(', ')}`),
    Devices: z.optional(ids),
    Jobs: z.optional(ids),
    Values: z.optional(bulkValues),
  })
  .check((context) => {
    const refuse = (field: string, message: string) =>
      context.issues.push({ code: 'custom', path: [field], message, input: context.value });
    const { Action, Devices, Jobs, Values = {} } = context.value;
    const { of, values } = TAKES[Action];
    const given = (['Devices', 'Jobs'] as const).filter((name) => context.value[name] !== undefined);
    if (given.length !== 1 || !given.every((name) => of.includes(name)))
      refuse(of[0] ?? '', `${Action} needs ${of.join(' or ')}${of.length > 1 ? ', not both' : ' and nothing else'}`);
    const names = Object.entries(Values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    for (const name of names)
      if (!values.some((each) => each === name)) refuse('Values', `${name} is not a value of ${Action}`);
    if (Action === 'edit' && names.length === 0) refuse('Values', `must hold at least one of ${values.join(', ')}`);
    if ((Values.Lat === undefined) !== (Values.Lng === undefined)) refuse('Values', 'Lat and Lng belong together');
    if ((Action === 'tag' || Action === 'untag') && Values.TagId === undefined) refuse('Values', 'must hold a TagId');
    if (Action === 'newKey' && new Set(Devices ?? Jobs).size > MAX_BULK_KEYS)
      refuse('Devices', `newKey takes at most ${MAX_BULK_KEYS}: its answer is the only time that the keys are shown`);
  });
export type BulkDraft = z.output<typeof bulkDraft>;

const BULK_STATES = ['Running', 'Done', 'Cancelled'] as const;
/** Left: not yet, and of a cancelled bulk never. Skipped: there was nothing to do, Because says why. */
const BULK_OUTCOMES = ['Done', 'Failed', 'Skipped', 'Left'] as const;

const bulkFields = {
  BulkId: z.string().check(z.minLength(1)),
  Action: z.enum(ACTIONS),
  /** What its items are. */
  Of: z.enum(['Devices', 'Jobs']),
  Values: bulkValues,
  State: z.enum(BULK_STATES),
  Counts: z.object({ Done: number, Failed: number, Skipped: number, Left: number }),
  CreatedTime: text,
  /** '' while it runs. */
  EndTime: text,
};
const bulkRow = z.object(bulkFields);
export type Bulk = z.output<typeof bulkRow>;

const bulkItem = z.object({
  Id: z.string(),
  /** Of a device, or the JobName; '' while it is Left, and of an id that there is not. */
  Name: text,
  Outcome: z.enum(BULK_OUTCOMES),
  Because: text,
});
export type BulkItem = z.output<typeof bulkItem>;
export type BulkOutcomeName = BulkItem['Outcome'];

const newKeys = z.array(z.object({ DeviceId: z.string(), DeviceKey: z.string() }));
const oneBulk = z.object({ bulk_id: pathId });

export const bulkEndpoints = resource('bulk', { live: 'ids', id: 'bulk_id', poll: 2_000 }).operations({
  create: {
    method: 'POST',
    path: '/v1/bulk',
    permission: 'operate',
    addition: true,
    summary: 'Change, tag, stop, archive or delete many devices or jobs in the background',
    once: true,
    // 50,000 ids of other services, too.
    bodyLimit: 4 * 1024 * 1024,
    body: bulkDraft,
    /**
     * Keys only of newKey, which is done when it answers: the service stores only hashes of keys. Repeated with its
     * Idempotency-Key, the answer is the lost one for a minute, and a 409 later.
     */
    response: z.object({ BulkId: z.string().check(z.minLength(1)), Keys: z.optional(newKeys) }),
  },
  list: {
    method: 'GET',
    path: '/v1/bulk',
    permission: 'read',
    addition: true,
    summary: 'List the bulk actions of the last seven days, newest first',
    response: z.array(bulkRow),
  },
  /** Items in the order of the request, which is the order in which they are done. */
  get: {
    method: 'GET',
    path: '/v1/bulk/:bulk_id',
    permission: 'read',
    addition: true,
    summary: 'Get bulk work with the result of each device or job, page by page',
    params: oneBulk,
    query: z.object(pageFields),
    /** Next: where the next page begins; '' at the end of the list. */
    response: z.object({ ...bulkFields, Items: z.array(bulkItem), Next: z.string() }),
  },
  cancel: {
    method: 'POST',
    path: '/v1/bulk/:bulk_id/cancel',
    permission: 'operate',
    addition: true,
    summary: 'Cancel bulk work: finished items stay changed, the rest stay as they are',
    params: oneBulk,
  },
});
