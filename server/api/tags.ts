// Tags, which v1.md mentions without endpoints. These are the endpoints of known services, plus detach.
import type { tagEndpoints } from '#/contract/tags.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import { deviceById } from '../store/devices.ts';
import { scopeOf } from '../store/scope.ts';
import { deleteTag, insertTag, listTags, requireTag } from '../store/tags.ts';

export function tagRoutes({ db, audit, actions, now }: Context): Handlers<typeof tagEndpoints> {
  return {
    list: ({ account }) => listTags(db, account.id),

    create: (request) =>
      db.write(async (tx) => {
        const id = await insertTag(tx, request.account.id, request.params.tag_name, now());
        await audit.record(tx, request, 'tag.create', id);
      }),

    remove: (request) =>
      db.write(
        async (tx) => {
          await deleteTag(tx, request.account.id, request.params.tag_id);
          await audit.record(tx, request, 'tag.remove', request.params.tag_id);
        },
        { essential: true },
      ),

    attach: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        await requireTag(tx, request.account.id, request.params.tag_id);
        await actions.attach(tx, request, device, request.params.tag_id);
      }),

    detach: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        await requireTag(tx, request.account.id, request.params.tag_id);
        await actions.detach(tx, request, device, request.params.tag_id);
      }),
  };
}
