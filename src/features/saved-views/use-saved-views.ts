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

/** What the table or the map shows, for the views menu that they share. */
export interface ShownView {
  saved: ReturnType<typeof useSavedViews>;
  /** The saved view that is shown, or was before something was changed. */
  applied: SavedView | undefined;
  isChanged: boolean;
  /** A link brought columns or rows of its own. */
  isForeign: boolean;
  /** What is shown as a query string, for a link and for a new view. */
  words: string;
  /** What saving the changes puts into the applied view. */
  changedQuery: string;
  /** What `words` contains, as text on the screen. */
  content: string;
  /** Of the page. */
  path: string;
  /** The query string that shows a saved view here. */
  searchOf: (view: Pick<SavedView, 'Name' | 'Query'>) => string;
  /** The same without what `isForeign` is about. */
  ownSearch: string;
}
