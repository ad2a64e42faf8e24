// The requests for bulk actions, an addition. bulk-runner.ts carries the actions out.
import type { Bulk, BulkDraft, bulkEndpoints } from '#/contract/bulk.ts';
import type { NewDevice } from '#/contract/devices.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { BULK_KEYS_MS } from '../actions/bulk-runner.ts';
import { bulkKeys, deleteBulkKeys, ownerOfBulkKeys } from '../store/bulk-keys.ts';
import { bulkById, bulkOf, cancelBulk, itemsFrom, valuesOf } from '../store/bulk.ts';
import type { BulkRow } from '../store/bulk.ts';
import type { Tx } from '../store/database.ts';
import { isInScope, scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { ReachesOutside } from '../store/errors.ts';
import { requireTag } from '../store/tags.ts';
import { RecentSecrets } from './recent-secrets.ts';

const DEFAULT_LIMIT = 100;

export function bulkRoutes({ db, bulk, audit, now }: Context): Handlers<typeof bulkEndpoints> {
  const recent = new RecentSecrets<NewDevice[]>();

  const begin = async (tx: Tx, caller: HandlerRequest, body: BulkDraft) => {
    const scope = scopeOf(caller);
    if (body.Action === 'create') {
      for (const { DeviceGroup } of body.Devices) requireOwnGroup(scope, DeviceGroup);
      return bulk.beginCreation(tx, caller, sealingSecret(caller), body.Devices);
    }
    const { Action: action, Values: values = {}, ...draft } = body;
    if (values.DeviceGroup !== undefined) requireOwnGroup(scope, values.DeviceGroup);
    const of = draft.Devices ? 'Devices' : 'Jobs';
    if (values.TagId !== undefined) await requireTag(tx, caller.account.id, values.TagId);
    return bulk.begin(tx, { caller, action, of, values, items: [...new Set(draft.Devices ?? draft.Jobs)] });
  };

  /** The keys of created devices, for the caller who asked for them, while the action runs and for an hour after. */
  const keysFor = async ({ credential, secret }: HandlerRequest, { seq, action, ended }: BulkRow) =>
    action === 'create' && (ended === null || Math.abs(now() - ended) < BULK_KEYS_MS)
      ? bulkKeys(db, seq, { credential, secret: secret.value })
      : undefined;

  return {
    create: async (request) => {
      const { account, body } = request;
      let keys: NewDevice[] | undefined;
      const content = body.Action === 'newKey' ? askedBy(request, body) : body;
      const submission = { accountId: account.id, key: idempotencyKey(request.http), content };
      const { id } = await db.write(
        (tx) =>
          runOnce(tx, submission, now(), async () => {
            if (body.Action !== 'newKey') return begin(tx, request, body);
            const made = await bulk.newKeys(tx, request, [...new Set(body.Devices)]);
            keys = made.keys;
            if (submission.key !== undefined) tx.afterCommit(() => recent.remember(made.id, made.keys));
            return made.id;
          }),
        { essential: body.Action === 'delete' || body.Action === 'stop' },
      );
      if (body.Action !== 'newKey') return { BulkId: id };
      const Keys = keys ?? recent.recall(id);
      if (Keys) return { BulkId: id, Keys };
      throw new Problem(
        409,
        'The devices have new keys, but these are lost',
        `This request was carried out as the bulk "${id}", but the answer with its keys was lost. Ask for new keys with another Idempotency-Key.`,
      );
    },

    list: async (request) => (await bulkOf(db, scopeOf(request))).map(view),

    get: async (request) => {
      const { limit, before } = request.query;
      const row = await bulkById(db, scopeOf(request), request.params.bulk_id);
      const from = Number(before ?? 0);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const Items = await itemsFrom(db, row.seq, from, most);
      const page = { ...view(row), Items, Next: from + Items.length < row.total ? String(from + Items.length) : '' };
      const keys = await keysFor(request, row);
      if (!keys) return page;
      const Keys = Object.fromEntries(
        Items.flatMap(({ Id }, index) => (Id === '' ? [] : [[Id, keys[from + index] ?? '']])),
      );
      // Sent as bytes, the response gets no ETag, so nothing caches it.
      return new JsonResponse(new TextEncoder().encode(JSON.stringify({ ...page, Keys })));
    },

    cancel: (request) =>
      db.write(
        async (tx) => {
          const { seq, id } = await bulkById(tx, scopeOf(request), request.params.bulk_id);
          if (await cancelBulk(tx, seq, now())) await audit.record(tx, request, 'bulk.cancel', id);
        },
        { essential: true },
      ),

    undo: async (request) => ({
      BulkId: await db.write(async (tx) =>
        bulk.beginUndo(tx, request, await bulkById(tx, scopeOf(request), request.params.bulk_id)),
      ),
    }),

    removeKeys: (request) =>
      db.write(
        async (tx) => {
          const { seq, id } = await bulkById(tx, scopeOf(request), request.params.bulk_id);
          const owner = await ownerOfBulkKeys(tx, seq);
          if (owner === undefined) return;
          if (owner !== request.credential)
            throw new Problem(
              403,
              'These keys belong to another session or token',
              'Only who asked for the devices can delete their keys. They are deleted an hour after the last device was created.',
            );
          await deleteBulkKeys(tx, seq);
          await audit.record(tx, request, 'bulk.removeKeys', id);
        },
        { essential: true },
      ),
  };
}

function requireOwnGroup(scope: Scope, group: string): void {
  if (isInScope(scope, group)) return;
  const which = group === '' ? 'without a group' : `in "${group}"`;
  throw new ReachesOutside(
    `A device ${which} is outside the groups of your role: ${scope.groups?.join(', ')}. Nothing was changed.`,
  );
}

/** The secret that seals the keys. Keys sealed with a value that was just replaced could never be read. */
function sealingSecret({ secret }: HandlerRequest): string {
  if (secret.isCurrent) return secret.value;
  throw new Problem(503, 'Your session was just renewed', 'Send the request again.', {
    headers: { 'Retry-After': '1' },
  });
}

const view = (row: BulkRow): Bulk => ({
  BulkId: row.id,
  Action: row.action,
  Of: row.of_what,
  Values: valuesOf(row),
  State: row.state,
  Counts: {
    Done: row.done,
    Failed: row.failed,
    Skipped: row.skipped,
    Left: row.total - row.done - row.failed - row.skipped,
  },
  CreatedTime: printIsoTime(new Date(row.created)),
  EndTime: row.ended === null ? '' : printIsoTime(new Date(row.ended)),
});
