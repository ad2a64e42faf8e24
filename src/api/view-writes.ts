// Writes of saved views, which succeed only if nobody else has changed the view since it was shown.
import { mutationOptions } from '@tanstack/react-query';
import { viewEndpoints, type SavedView } from '#/contract/views.ts';
import { ApiError } from '#/api/api-error.ts';
import { call, callTagged } from '#/api/call.ts';
import { queryClient } from '#/api/query-client.ts';
import { viewQueries } from '#/api/views.ts';
import { writeIfUnchanged } from '#/api/write-if-unchanged.ts';

const folded = (name: string) => name.trim().toLowerCase();
/** Names are case-insensitive. */
export const viewNamed = (views: readonly SavedView[], name: string): SavedView | undefined =>
  views.find((view) => folded(view.Name) === folded(name));

async function write(
  name: string,
  before: SavedView | undefined,
  send: (headers: Record<string, string>) => Promise<void>,
): Promise<void> {
  try {
    await writeIfUnchanged({
      read: () => callTagged(viewEndpoints.list, {}),
      find: (views) => viewNamed(views, name),
      before,
      send,
      refused: (now) => changedMeanwhile(name, now),
    });
  } finally {
    await queryClient.invalidateQueries(viewQueries.list());
  }
}

function changedMeanwhile(name: string, now: SavedView | undefined): ApiError {
  const title = now
    ? `“${now.Name}” was saved meanwhile${now.ChangedByName && ` with the token “${now.ChangedByName}”`}`
    : `“${name}” was deleted meanwhile`;
  return new ApiError('refused', title, { status: 412, detail: 'Nothing was changed. The list is up to date now.' });
}

type Content = Pick<SavedView, 'Query' | 'Private'>;

export const saveView = (name: string, { Query, Private }: Content, before?: SavedView): Promise<void> =>
  write(name, before, (headers) =>
    call(viewEndpoints.save, { params: { name }, body: { Query, Private } }, { headers }),
  );
const remove = (view: SavedView) =>
  write(view.Name, view, (headers) => call(viewEndpoints.remove, { params: { name: view.Name } }, { headers }));

export const viewMutations = {
  /** `before`: the view to replace, as it is shown. */
  save: (content: Content, before?: SavedView) =>
    mutationOptions({ mutationFn: ({ name }: { name: string }) => saveView(name.trim(), content, before) }),
  rename: (view: SavedView) =>
    mutationOptions({
      mutationFn: async ({ name }: { name: string }) => {
        const isOther = folded(name) !== folded(view.Name);
        await saveView(name.trim(), view, isOther ? undefined : view);
        if (isOther) await remove(view);
      },
    }),
  remove: (view: SavedView) => mutationOptions({ mutationFn: () => remove(view) }),
};
