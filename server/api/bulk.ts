// Bulk work, an addition: the requests. bulk-runner.ts carries it out.
import type { Bulk, BulkDraft, bulkEndpoints } from '#/contract/bulk.ts';
import type { NewDevice } from '#/contract/devices.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { bulkById, bulkOf, cancelBulk, itemsFrom, valuesOf } from '../store/bulk.ts';
import type { BulkRow } from '../store/bulk.ts';
import type { Tx } from '../store/database.ts';
import { runOnce } from '../store/submissions.ts';
import { requireTag } from '../store/tags.ts';
import { RecentSecrets } from './recent-secrets.ts';

const DEFAULT_LIMIT = 100;

export function bulkRoutes({ db, bulk, audit, now }: Context): Handlers<typeof bulkEndpoints> {
  const recent = new RecentSecrets<NewDevice[]>();

  const begin = async (
    tx: Tx,
    caller: HandlerRequest,
    { Action: action, Values: values = {}, ...draft }: BulkDraft,
  ) => {
    const of = draft.Devices ? 'Devices' : 'Jobs';
    if (values.TagId !== undefined) await requireTag(tx, caller.account.id, values.TagId);
    return bulk.begin(tx, { caller, action, of, values, ids: [...new Set(draft.Devices ?? draft.Jobs)] });
  };

  return {
    create: async (request) => {
      const { account, body } = request;
      const isNewKey = body.Action === 'newKey';
      let keys: NewDevice[] | undefined;
      const submission = { accountId: account.id, key: idempotencyKey(request.http), content: body };
      const { id } = await db.write(
        (tx) =>
          runOnce(tx, submission, now(), async () => {
            if (!isNewKey) return begin(tx, request, body);
            const made = await bulk.newKeys(tx, request, [...new Set(body.Devices)]);
            keys = made.keys;
            if (submission.key !== undefined) tx.afterCommit(() => recent.remember(made.id, made.keys));
            return made.id;
          }),
        { essential: body.Action === 'delete' || body.Action === 'stop' },
      );
      if (!isNewKey) return { BulkId: id };
      const Keys = keys ?? recent.recall(id);
      if (Keys) return { BulkId: id, Keys };
      throw new Problem(
        409,
        'The devices have new keys, but these are lost',
        `This request was carried out as the bulk "${id}", but the answer with its keys was lost. Ask for new keys with another Idempotency-Key.`,
      );
    },

    list: async ({ account }) => (await bulkOf(db, account.id)).map(view),

    get: async ({ account, params, query: { limit, before } }) => {
      const row = await bulkById(db, account.id, params.bulk_id);
      const from = Number(before ?? 0);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const Items = await itemsFrom(db, row.seq, from, most);
      return { ...view(row), Items, Next: from + Items.length < row.total ? String(from + Items.length) : '' };
    },

    cancel: (request) =>
      db.write(
        async (tx) => {
          const { seq, id } = await bulkById(tx, request.account.id, request.params.bulk_id);
          if (await cancelBulk(tx, seq, now())) await audit.record(tx, request, 'bulk.cancel', id);
        },
        { essential: true },
      ),
  };
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
