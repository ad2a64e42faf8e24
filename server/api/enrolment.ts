// Enrolment, an addition: devices join by themselves with a key that many of them share.
import type { EnrolmentKey, enrolmentEndpoints, PendingBecause, PendingDevice } from '#/contract/enrolment.ts';
import type { DeviceDraft, NewDevice } from '#/contract/devices.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { clientAddress } from '../http/client-address.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/implement.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireGroup, requireRole } from '../http/require-permission.ts';
import type { Actor } from '../store/caller.ts';
import type { Tx } from '../store/database.ts';
import { deviceById, deviceByKey, setKey } from '../store/devices.ts';
import {
  approveEnrolment,
  deleteEnrolmentKey,
  deviceOfMachine,
  enrolmentKeyBySeq,
  enrolmentKeyOf,
  findEnrolment,
  insertEnrolmentKey,
  isRejected,
  listEnrolmentKeys,
  listPending,
  machineOf,
  noteAnswer,
  noteMachine,
  pendingById,
  rejectEnrolment,
  repeatedKey,
  countUse,
  waitForApproval,
  type Asking,
  type EnrolmentKeyRow,
  type PendingRow,
} from '../store/enrolment.ts';
import { hashSecret, newSecret } from '../store/ids.ts';
import { scopeOf } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { ensureTags } from '../store/tags.ts';
import { pairingRoutes } from './pairing.ts';
import { RecentSecrets } from './recent-secrets.ts';

/** A machine whose device was seen this recently may be a copy of it. */
const CLONE_MS = 24 * 60 * 60 * 1000;

type Draft = Parameters<Handlers<typeof enrolmentEndpoints>['enrol']>[0]['body'];
type Answer = NewDevice | { PendingId: string };

export function enrolmentRoutes(context: Context): Handlers<typeof enrolmentEndpoints> {
  const { db, audit, actions, now, config } = context;
  const recent = new RecentSecrets<{ EnrolmentId: string; EnrolKey: string }>();

  /** Adds the device that a key describes. */
  const create = async (tx: Tx, actor: Actor, key: EnrolmentKeyRow, draft: DeviceDraft, keyHash: Uint8Array) => {
    const device = await actions.create(
      tx,
      actor,
      { ...draft, CustomerName: key.customer, CustomerSite: key.site },
      keyHash,
    );
    const tags = await ensureTags(tx, key.account_id, JSON.parse(key.tags_json) as string[], {
      now: now(),
      created: (id) => audit.record(tx, actor, 'tag.create', id),
    });
    for (const tag of tags.values()) if (typeof tag === 'string') await actions.attach(tx, actor, device, tag);
    return device;
  };

  const enrol = async (tx: Tx, draft: Draft, address: string): Promise<Answer> => {
    const key = await enrolmentKeyOf(tx, draft.EnrolKey);
    if (!key)
      throw new Problem(
        403,
        'The enrolment key is not valid',
        'It was deleted, or not copied as a whole. Create another one in the dashboard, under Devices, Enrolment.',
      );
    const { account_id: accountId } = key;
    const actor: Actor = { account: { id: accountId, email: key.email }, actor: `enrolment:${key.id}`, address };
    const asking: Asking = { accountId, machine: machineOf(draft.MachineId), secret: draft.Secret };
    const asked = {
      keySeq: key.seq,
      name: draft.DeviceName,
      group: key.grp,
      facts: draft.Facts,
      address,
    };
    const wait = async (because: PendingBecause, deviceSeq?: number) => ({
      PendingId: await waitForApproval(tx, asking, { ...asked, because, deviceSeq }, now()),
    });
    const answer = async (device: { seq: number; id: string }, deviceKey: string): Promise<NewDevice> => {
      await noteMachine(tx, accountId, asking.machine, device.seq);
      await noteAnswer(tx, asking, { ...asked, because: '', deviceSeq: device.seq }, deviceKey, now());
      return { DeviceId: device.id, DeviceKey: deviceKey };
    };
    const rekeyed = async (device: { seq: number; id: string }): Promise<NewDevice> => {
      const deviceKey = newSecret('mdk');
      await setKey(tx, device.seq, hashSecret(deviceKey), now());
      await audit.record(tx, actor, 'device.rekey', device.id);
      return answer(device, deviceKey);
    };

    // Whatever it sends: a secret, or a key that it had before.
    if (await isRejected(tx, asking))
      throw new Problem(
        403,
        'This device was rejected',
        'Somebody refused to let it join. In the dashboard, under Devices, Enrolment, it can be approved after all.',
      );
    const known = await deviceOfMachine(tx, accountId, asking.machine);
    const before = await findEnrolment(tx, asking);
    // The answer was lost on its way.
    if (before?.state === 'Answered' && draft.Secret !== undefined && known?.seq === before.device_seq) {
      const repeated = await repeatedKey(tx, before, draft.Secret);
      if (repeated !== undefined) return { DeviceId: known.id, DeviceKey: repeated };
    }
    if (before?.state === 'Approved' && known?.seq === before.device_seq) return rekeyed(known);
    if (key.expires !== null && now() >= key.expires)
      throw new Problem(
        403,
        'The enrolment key has expired',
        `It was valid until ${printIsoTime(new Date(key.expires))}. Create another one in the dashboard.`,
      );
    if (known && draft.OldKey !== undefined && (await deviceByKey(tx, draft.OldKey))?.seq === known.seq)
      return rekeyed(known);
    if (known) {
      const isAlive = known.online === 1 || (known.last_seen !== null && now() - known.last_seen < CLONE_MS);
      return wait(isAlive ? 'PossibleClone' : 'KnownMachine', known.seq);
    }
    if (key.needs_approval === 1) return wait('NeedsApproval');
    if (!(await countUse(tx, key.seq, now())))
      throw new Problem(
        403,
        'The enrolment key is used up',
        `It was for ${key.max_uses} devices. Create another one in the dashboard.`,
      );
    const deviceKey = newSecret('mdk');
    const draftOf = { DeviceName: draft.DeviceName, DeviceGroup: key.grp };
    return answer(await create(tx, actor, key, draftOf, hashSecret(deviceKey)), deviceKey);
  };

  return {
    list: async (request) => (await listEnrolmentKeys(db, scopeOf(request))).map(keyOf),

    create: async (request) => {
      const { account, body } = request;
      requireGroup(request, body.DeviceGroup);
      const expires = body.ExpiresTime === undefined ? null : Date.parse(body.ExpiresTime);
      if (expires !== null && expires <= now())
        throw invalid([{ field: 'ExpiresTime', message: 'must be in the future' }]);
      let created: { EnrolmentId: string; EnrolKey: string } | undefined;
      const key = idempotencyKey(request.http);
      const { id } = await db.write((tx) =>
        runOnce(tx, { accountId: account.id, key, content: askedBy(request, body) }, now(), async () => {
          const { id: EnrolmentId, secret: EnrolKey } = await insertEnrolmentKey(
            tx,
            {
              account_id: account.id,
              name: body.Name,
              grp: body.DeviceGroup,
              customer: body.CustomerName ?? '',
              site: body.CustomerSite ?? '',
              tags_json: JSON.stringify([...new Set(body.Tags)]),
              max_uses: body.MaxUses,
              expires,
              needs_approval: body.NeedsApproval ? 1 : 0,
              allow_tunnels: body.AllowTunnels === undefined ? null : Number(body.AllowTunnels),
            },
            now(),
          );
          await audit.record(tx, request, 'enrolment.create', EnrolmentId);
          const answer = { EnrolmentId, EnrolKey };
          created = answer;
          if (key !== undefined) tx.afterCommit(() => recent.remember(EnrolmentId, answer));
          return EnrolmentId;
        }),
      );
      const answer = created ?? recent.recall(id);
      if (answer) return answer;
      throw new Problem(
        409,
        'The enrolment key was created, but its secret is lost',
        `This request created the key "${id}", but the answer with its secret was lost. Delete it, and create another one.`,
      );
    },

    remove: (request) =>
      db.write(
        async (tx) => {
          await deleteEnrolmentKey(tx, scopeOf(request), request.params.enrolment_id);
          await audit.record(tx, request, 'enrolment.remove', request.params.enrolment_id);
        },
        { essential: true },
      ),

    pending: async (request) => (await listPending(db, scopeOf(request))).map(pendingOf),

    approve: (request) =>
      db.write(async (tx) => {
        const { account, body, params } = request;
        const asked = await pendingById(tx, scopeOf(request), params.pending_id);
        if (body.DeviceGroup !== undefined) requireGroup(request, body.DeviceGroup);
        const known = await deviceOfMachine(tx, account.id, asked.machine);
        // It takes a device away from whoever has its key now, and the device may be in a group of others.
        if (known) {
          requireRole(request, 'admin');
          await deviceById(tx, scopeOf(request), known.id);
        }
        const key = await enrolmentKeyBySeq(tx, asked.key_seq);
        if (!known && key) {
          await countUse(tx, key.seq, now(), true);
          const draft = {
            DeviceName: body.DeviceName ?? asked.name,
            DeviceGroup: body.DeviceGroup ?? asked.grp,
          };
          // It gets its key when it asks again.
          const device = await create(tx, request, key, draft, hashSecret(newSecret('mdk')));
          await noteMachine(tx, account.id, asked.machine, device.seq);
          await approveEnrolment(tx, asked.seq, device.seq);
        } else if (known) {
          if (body.DeviceName !== undefined || body.DeviceGroup !== undefined)
            await actions.update(tx, request, known, body);
          await approveEnrolment(tx, asked.seq, known.seq);
        }
        await audit.record(tx, request, 'enrolment.approve', asked.id);
      }),

    reject: (request) =>
      db.write(async (tx) => {
        const asked = await pendingById(tx, scopeOf(request), request.params.pending_id);
        await rejectEnrolment(tx, asked);
        await audit.record(tx, request, 'enrolment.reject', asked.id);
      }),

    ...pairingRoutes(context),

    enrol: async ({ body, http }) => {
      const address = clientAddress(config, http.env.incoming);
      const answer = await db.write((tx) => enrol(tx, body, address));
      return 'DeviceId' in answer
        ? answer
        : http.json(answer, 202, { 'Cache-Control': 'no-store', 'Retry-After': '10' });
    },
  };
}

const time = (at: number | null): string => (at === null ? '' : printIsoTime(new Date(at)));

const keyOf = (row: EnrolmentKeyRow): EnrolmentKey => ({
  EnrolmentId: row.id,
  Name: row.name,
  Prefix: row.prefix,
  DeviceGroup: row.grp,
  CustomerName: row.customer,
  CustomerSite: row.site,
  Tags: JSON.parse(row.tags_json) as string[],
  MaxUses: row.max_uses,
  Uses: row.uses,
  ExpiresTime: time(row.expires),
  NeedsApproval: row.needs_approval === 1,
  ...(row.allow_tunnels !== null && { AllowTunnels: row.allow_tunnels === 1 }),
  LastUsedTime: time(row.last_used),
  CreatedTime: time(row.created),
});

const pendingOf = (row: PendingRow): PendingDevice => ({
  PendingId: row.id,
  State: row.state === 'Rejected' ? 'Rejected' : 'Waiting',
  Because: row.because === '' ? 'NeedsApproval' : row.because,
  DeviceName: row.name,
  DeviceGroup: row.grp,
  DeviceId: row.device_id ?? '',
  EnrolmentName: row.key_name,
  CustomerSite: row.site,
  Fingerprint: Buffer.from(row.machine).toString('hex').slice(0, 12),
  Address: row.address,
  Facts: JSON.parse(row.facts_json) as Record<string, string>,
  FirstSeenTime: time(row.first_asked),
  LastSeenTime: time(row.last_asked),
});
