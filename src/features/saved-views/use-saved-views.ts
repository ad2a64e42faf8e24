// The saved views of the account, where the service stores them.
import { useQuery } from '@tanstack/react-query';
import { offered } from '#/api/capabilities.ts';
import { viewQueries } from '#/api/views.ts';
import type { SavedView } from '#/contract/views.ts';
import { cleanWords } from './view-words.ts';

/** Any client may have written them, so unknown parameters are dropped. */
const clean = (views: SavedView[]) => views.map((view) => ({ ...view, Query: cleanWords(view.Query) }));

const NONE: SavedView[] = [];

/** `views`: undefined while they are read. */
export function useSavedViews() {
  const account = useQuery(offered('views'));
  const isOffered = account.data === true;
  const { data, error } = useQuery({ ...viewQueries.list(), enabled: isOffered, select: clean });
  const isOver = account.isError || error !== null || (account.isSuccess && !isOffered);
  return { isOffered, views: data ?? (isOver ? NONE : undefined), error };
}
