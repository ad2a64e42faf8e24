// Bulk work, an addition: one change of thousands of devices or jobs, or thousands of new devices, which the service
// carries out by itself.
import * as z from 'zod/mini';
import { nameText, number, pageFields, pathId, text } from '#/contract/endpoint.ts';
import { deviceChangeFields, deviceDraft, positionFields } from '#/contract/devices.ts';
import { resource } from '#/contract/resource.ts';

/** Most devices or jobs of one request. */
const MAX_BULK_ITEMS = 50_000;
/** Most new devices of one request. */
export const MAX_NEW_DEVICES = 10_000;
/** A new key is shown once, in the answer: those of more devices would be lost together with one lost answer. */
const MAX_BULK_KEYS = 200;

/** What is done to devices or jobs that exist. */
const CHANGES = ['edit', 'tag', 'untag', 'delete', 'stop', 'archive', 'unarchive', 'newKey'] as const;
type BulkChangeAction = (typeof CHANGES)[number];
const ACTIONS = [...CHANGES, 'create'] as const;
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

const TAKES: Record<BulkChangeAction, { of: ('Devices' | 'Jobs')[]; values: (keyof BulkValues)[] }> = {
  edit: { of: ['Devices'], values: ['DeviceName', 'DeviceGroup', 'CustomerName', 'CustomerSite', 'Lat', 'Lng'] },
  tag: { of: ['Devices'], values: ['TagId'] },
  untag: { of: ['Devices'], values: ['TagId'] },
  delete: { of: ['Devices', 'Jobs'], values: [] },
  stop: { of: ['Jobs'], values: ['OnlyWaiting'] },
  archive: { of: ['Jobs'], values: [] },
  unarchive: { of: ['Jobs'], values: [] },
  newKey: { of: ['Devices'], values: [] },
};

/** Ids that occur twice count once; a value that the action does not take is refused. */
const bulkChange = z
  .object({
    Action: z.enum(CHANGES),
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
    if ((Values.Lat === undefined) !== (Values.Lng === undefined)) refuse('Values', PAIR);
    if ((Action === 'tag' || Action === 'untag') && Values.TagId === undefined) refuse('Values', 'must hold a TagId');
    if (Action === 'newKey' && new Set(Devices ?? Jobs).size > MAX_BULK_KEYS)
      refuse('Devices', `newKey takes at most ${MAX_BULK_KEYS}: its answer is the only time that the keys are shown`);
  });

const PAIR = 'Lat and Lng belong together';
/** A device to create: what is set on a single one by several requests. */
const newBulkDevice = z
  .object({
    ...deviceDraft.shape,
    CustomerName: deviceChangeFields.CustomerName,
    CustomerSite: deviceChangeFields.CustomerSite,
    /** Names; a tag that does not exist is created. */
    Tags: z.optional(z.array(z.pipe(pathId, nameText)).check(z.maxLength(100, 'must name at most 100'))),
    Lat: z.optional(positionFields.Lat),
    Lng: z.optional(positionFields.Lng),
  })
  .check(z.refine(({ Lat, Lng }) => (Lat === undefined) === (Lng === undefined), PAIR));
export type NewBulkDevice = z.output<typeof newBulkDevice>;

const bulkCreation = z.object({
  Action: z.literal('create'),
  Devices: z
    .array(newBulkDevice)
    .check(
      z.minLength(1, 'must hold at least one'),
      z.maxLength(MAX_NEW_DEVICES, `must hold at most ${MAX_NEW_DEVICES.toLocaleString('en')}`),
    ),
});

/** Body of create. */
const bulkDraft = z.discriminatedUnion('Action', [bulkChange, bulkCreation], `must be one of ${ACTIONS.join(', ')}`);
export type BulkDraft = z.output<typeof bulkDraft>;
export type BulkChange = z.output<typeof bulkChange>;

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
  /** Of a device that is to be created: '' until it is. */
  Id: z.string(),
  /** Of a device, or the JobName; '' of an id that there is not, and while a change is Left. */
  Name: text,
  Outcome: z.enum(BULK_OUTCOMES),
  Because: text,
  /** Of create: the device that was asked for. */
  Device: z.optional(newBulkDevice),
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
    summary: 'Change, tag, stop, archive or delete many devices or jobs, or create many devices, in the background',
    once: true,
    // 10,000 devices with long names and many tags.
    bodyLimit: 8 * 1024 * 1024,
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
    /**
     * Next: where the next page begins; '' at the end of the list. Keys: of create, the keys of the devices on this page by
     * their DeviceId; only for the session or token that asked for them, until they are deleted or for an hour.
     */
    response: z.object({
      ...bulkFields,
      Items: z.array(bulkItem),
      Next: z.string(),
      Keys: z.optional(z.record(z.string(), z.string())),
    }),
  },
  cancel: {
    method: 'POST',
    path: '/v1/bulk/:bulk_id/cancel',
    permission: 'operate',
    addition: true,
    summary: 'Cancel bulk work: finished items stay changed, the rest stay as they are',
    params: oneBulk,
  },
  removeKeys: {
    method: 'DELETE',
    path: '/v1/bulk/:bulk_id/keys',
    permission: 'operate',
    addition: true,
    summary: 'Delete the keys of created devices from the result: they cannot be read again',
    params: oneBulk,
  },
});
