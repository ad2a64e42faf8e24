// Saved views of the device list, an addition.
import { MOST_VIEWS, type SavedView, type viewEndpoints } from '#/contract/views.ts';
import { isPermitted } from '#/contract/permissions.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { isUnchanged, type HandlerRequest, type Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { refuseTokenOf, requireRole, requireUnlimited } from '../http/require-permission.ts';
import { notFound } from '../store/errors.ts';
import type { Reader } from '../store/database.ts';
import { fold } from '#/contract/fold.ts';
import { holderOf } from '../store/sessions.ts';
import { countViews, deleteView, saveView, sharedView, viewsOf, type ViewRow } from '../store/views.ts';
import { namesOf } from './audit-names.ts';

export function viewRoutes({ db, audit, now }: Context): Handlers<typeof viewEndpoints> {
  return {
    list: (request) => list(db, request),

    save: (request) =>
      db.write(async (tx) => {
        const { account, params, body } = request;
        await requireUnchanged(tx, request);
        const holder = await holderOf(tx, request.actor);
        const name = params.name.trim();
        const before = await visible(tx, account.id, holder, name);
        const owner = body.Private ? holder : '';
        if (owner !== '' || before?.owner) refuseTokenOf(request.personId, request);
        const shared = await sharedView(tx, account.id, name);
        const mayReplace = !shared || mayChange(request, holder, shared);
        if (owner === '' && !mayReplace) refuseChange(request);
        // A view changes between shared and private by replacing the other one. Who may not change the shared one gets
        // a private one beside it.
        if (before && before.owner !== owner && (before.owner !== '' || mayReplace))
          await deleteView(tx, account.id, before);
        if (before?.owner !== owner && (await countViews(tx, account.id, owner)) >= MOST_VIEWS)
          throw new Problem(409, `There are ${MOST_VIEWS} views already`, 'Delete some of them first.');
        await saveView(tx, account.id, { name, query: body.Query, owner, changed_by: holder, changed: now() });
        await audit.record(tx, request, 'view.save', name);
      }),

    remove: (request) =>
      db.write(
        async (tx) => {
          const { account, params } = request;
          await requireUnchanged(tx, request);
          const holder = await holderOf(tx, request.actor);
          const view = await visible(tx, account.id, holder, params.name);
          if (!view) throw notFound('view', params.name);
          if (view.owner !== '') refuseTokenOf(request.personId, request);
          if (!mayChange(request, holder, view)) refuseChange(request);
          await deleteView(tx, account.id, view);
          await audit.record(tx, request, 'view.remove', view.name);
        },
        { essential: true },
      ),
  };
}

/** A shared view is its maker's, and everybody's whose role covers all groups. */
const mayChange = ({ role, groups }: HandlerRequest, holder: string, { owner, made_by }: ViewRow): boolean =>
  owner !== '' || made_by === holder || (!groups && isPermitted(role, 'operate'));

function refuseChange(request: HandlerRequest): void {
  requireRole(request, 'operate');
  requireUnlimited(request, 'operate');
}

async function list(db: Reader, { account, actor }: HandlerRequest): Promise<SavedView[]> {
  const rows = await viewsOf(db, account.id, await holderOf(db, actor));
  const names = await namesOf(
    db,
    account.id,
    rows.map(({ changed_by }) => ({ actor: changed_by, action: '', target: '' })),
  );
  return rows.map(({ name, query, owner, changed_by, changed }) => ({
    Name: name,
    Query: query,
    Private: owner !== '',
    ChangedBy: changed_by,
    ChangedByName: names.get(changed_by) ?? '',
    ChangedTime: printIsoTime(new Date(changed)),
  }));
}

const visible = async (db: Reader, accountId: number, person: string, name: string): Promise<ViewRow | undefined> =>
  (await viewsOf(db, accountId, person)).find((view) => fold(view.name) === fold(name.trim()));

async function requireUnchanged(db: Reader, request: HandlerRequest): Promise<void> {
  if (await isUnchanged(request.http.req.header('If-Match'), () => list(db, request))) return;
  throw new Problem(412, 'The views have changed meanwhile', 'Read them again, and decide anew.');
}
