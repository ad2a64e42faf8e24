import type { SavedView } from '#/contract/views.ts';
import type { useSavedViews } from './use-saved-views.ts';

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
