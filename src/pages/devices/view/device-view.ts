// The view that the table shows: a saved one, that of a link, or the user's own columns, with unsaved changes.
import { chosen, type ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import type { TableColumn } from '#/pages/devices/table/table-columns.tsx';
import type { SavedView } from '#/contract/views.ts';
import { isSameView, viewUrl, type Layout } from '#/features/saved-views/view-words.ts';
import { fleetUrl, type FleetUrl } from './fleet-view.ts';

type AvailableColumns = readonly Pick<TableColumn, 'id' | 'width' | 'isExtra'>[];

/** Applies the layout of a link or saved view to the user's own columns. `available`: the columns that this service fills. */
export function choiceOf(
  own: ColumnChoice,
  { columns, widths, density }: Partial<Layout>,
  available: AvailableColumns,
): ColumnChoice {
  if (!columns && !density) return own;
  return {
    ...own,
    ...(columns && {
      order: [...columns],
      hidden: available.filter(({ id, isExtra }) => !isExtra && !columns.includes(id)).map(({ id }) => id),
      added: [...columns],
      widths: { ...widths },
    }),
    ...(density && { density }),
  };
}

export const tableLayoutOf = (choice: ColumnChoice, available: AvailableColumns): Layout => ({
  columns: chosen(available, choice).map(({ id }) => id),
  widths: choice.widths,
  density: choice.density,
});

/** The part of a layout that differs from the user's own, which is all that a URL has to contain. */
export function differing(
  { columns, widths = {}, density }: Partial<Layout>,
  own: ColumnChoice,
  available: AvailableColumns,
): Partial<Layout> {
  const mine = tableLayoutOf(own, available);
  const print = (layout: Partial<Layout>) => viewUrl.change('', { layout });
  const shown = columns?.filter((id) => available.some((column) => column.id === id));
  const isMine = print({ columns: shown ?? [], widths }) === print({ columns: mine.columns, widths: mine.widths });
  return { ...(columns && !isMine && { columns, widths }), ...(density && density !== mine.density && { density }) };
}

export const isSameLayout = (one: Partial<Layout>, other: Partial<Layout>): boolean =>
  viewUrl.change('', { layout: one }) === viewUrl.change('', { layout: other });

/** The query string that shows a saved view, with only what differs from the user's own columns. */
export function searchOf(
  { Name, Query }: Pick<SavedView, 'Name' | 'Query'>,
  own: ColumnChoice,
  available: AvailableColumns,
): string {
  const { layout } = viewUrl.read(Query);
  return fleetUrl.change(Query, { layout: differing(layout, own, available), view: Name });
}

/** Which saved view is shown, and whether it was changed. `layout`: as shown. `saved`: undefined while loading. */
export function viewStateOf(
  url: FleetUrl,
  layout: Layout,
  saved: readonly SavedView[] | undefined,
  available: AvailableColumns,
) {
  const words = viewUrl.change('', { filter: url.filter, sort: url.sort, layout });
  const ids = new Set(available.map(({ id }) => id));
  const isShownBy = (view: SavedView) => isSameView(view.Query, words, ids);
  const applied = saved?.find(({ Name }) => Name === url.view) ?? saved?.find(isShownBy);
  const hasLayout = url.layout.columns !== undefined || url.layout.density !== undefined;
  return {
    words,
    /** The saved view that is shown, or was before something was changed. */
    applied,
    isChanged: applied !== undefined && !isShownBy(applied),
    /** A link brought columns or rows of its own, and no saved view of the reader is like it. */
    isForeign: hasLayout && saved !== undefined && applied === undefined,
  };
}
