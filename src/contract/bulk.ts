// Bulk work, an addition: one change to thousands of devices or jobs, or the creation of thousands of devices, carried out
// by the service.
import * as z from 'zod/mini';
import { nameText, number, pageFields, pathId, text } from '#/contract/endpoint.ts';
import { deviceChangeFields, deviceDraft, positionFields } from '#/contract/devices.ts';
import { resource, type PermissionByRequest } from '#/contract/resource.ts';

/** Most devices or jobs in one request. */
const MAX_BULK_ITEMS = 50_000;
/** Most new devices in one request. */
export const MAX_NEW_DEVICES = 10_000;
/** New keys are shown only once, in the response. The limit bounds how many keys one lost response can lose. */
const MAX_BULK_KEYS = 200;

/** Actions on existing devices or jobs. */
const CHANGES = ['edit', 'tag', 'untag', 'delete', 'stop', 'archive', 'unarchive', 'newKey', 'rotateKey'] as const;
type BulkChangeAction = (typeof CHANGES)[number];
const ACTIONS = [...CHANGES, 'create', 'undo'] as const;
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
  /** Cancels waiting jobs, and skips those that agents have started. */
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
  rotateKey: { of: ['Devices'], values: [] },
};

/** Duplicate ids count once; values that the action does not take are refused. */
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
/** A device to create, with everything that takes several requests for a single device. */
const newBulkDevice = z
  .object({
    ...deviceDraft.shape,
    CustomerName: deviceChangeFields.CustomerName,
    CustomerSite: deviceChangeFields.CustomerSite,
    /** Names of tags; missing tags are created. */
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
const bulkDraft = z.discriminatedUnion(
  'Action',
  [bulkChange, bulkCreation],
  `must be one of ${[...CHANGES, 'create'].join(', ')}`,
);
export type BulkDraft = z.output<typeof bulkDraft>;
export type BulkChange = z.output<typeof bulkChange>;

const BULK_STATES = ['Running', 'Done', 'Cancelled'] as const;
/** Left: not processed yet, or never once cancelled. Skipped: there was nothing to do, and Because says why. */
const BULK_OUTCOMES = ['Done', 'Failed', 'Skipped', 'Left'] as const;

const bulkFields = {
  BulkId: z.string().check(z.minLength(1)),
  Action: z.enum(ACTIONS),
  /** The kind of its items. */
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
  /** For a device to create: '' until it is created. */
  Id: z.string(),
  /** The DeviceName or JobName; '' for an id that does not exist, and while a change is Left. */
  Name: text,
  Outcome: z.enum(BULK_OUTCOMES),
  Because: text,
  /** For create: the requested device. */
  Device: z.optional(newBulkDevice),
});
export type BulkItem = z.output<typeof bulkItem>;
export type BulkOutcomeName = BulkItem['Outcome'];

const newKeys = z.array(z.object({ DeviceId: z.string(), DeviceKey: z.string() }));
const oneBulk = z.object({ bulk_id: pathId });

/** Whoever has a device's key can stand in for it. */
const adminForKeys: PermissionByRequest = {
  oneOf: ['operate', 'admin'],
  of: ({ body }) => {
    const { Action } = (body ?? {}) as { Action?: string };
    return Action === 'newKey' || Action === 'rotateKey' ? 'admin' : 'operate';
  },
};

export const bulkEndpoints = resource('bulk', { live: 'ids', id: 'bulk_id', poll: 2_000 }).operations({
  create: {
    method: 'POST',
    path: '/v1/bulk',
    permission: adminForKeys,
    addition: true,
    summary: 'Change, tag, stop, archive or delete many devices or jobs, or create many devices, in the background',
    once: true,
    // Room for 10,000 devices with long names and many tags.
    bodyLimit: 8 * 1024 * 1024,
    body: bulkDraft,
    /**
     * Keys only for newKey, which completes before the response: the service stores only hashes of keys. A resend with the
     * same Idempotency-Key returns the lost response for a minute, and a 409 later.
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
  /** Items in the order of the request, in which they are also processed. */
  get: {
    method: 'GET',
    path: '/v1/bulk/:bulk_id',
    permission: 'read',
    addition: true,
    summary: 'Get bulk work with the result of each device or job, page by page',
    params: oneBulk,
    query: z.object(pageFields),
    /**
     * Next: where the next page begins; '' at the end of the list. Keys: for create, the keys of this page's devices by
     * DeviceId; only for the session or token that created them, for an hour or until they are deleted.
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
  /**
   * Within a minute of its end; running work is cancelled first. Each device gets its earlier values back. A value that
   * was changed since stays, and the item says so.
   */
  undo: {
    method: 'POST',
    path: '/v1/bulk/:bulk_id/undo',
    permission: 'operate',
    addition: true,
    summary: 'Undo an edit, tag or untag: each device gets its earlier values back, unless they were changed since',
    params: oneBulk,
    response: z.object({ BulkId: z.string().check(z.minLength(1)) }),
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
