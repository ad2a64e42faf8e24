// The view that the table shows: of a saved one, of a link, or the reader's own columns, with what was changed since.
import { useEffect, useMemo, useState } from 'react';
import { paramsNow } from '#/ui/url/params-now.ts';
import { chosen, columnChoice } from '#/pages/devices/table/column-choice.ts';
import type { ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import type { SavedView } from '#/pages/devices/views/saved-views.ts';
import type { TableColumn } from '#/pages/devices/table/table-columns.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { useSavedViews } from '#/pages/devices/views/use-saved-views.ts';
import type { SavedViews } from '#/pages/devices/views/use-saved-views.ts';
import { VIEW, isSameView, readLayout, wordsOfView, writeLayout } from '#/pages/devices/views/view-words.ts';
import type { Layout } from '#/pages/devices/views/view-words.ts';

/** How long a column that is being dragged rests before it goes into the URL: browsers limit how often that may change. */
const REST = 250;

export interface DeviceView {
  /** Columns and rows as they are drawn. */
  choice: ColumnChoice;
  /** Changes the view that is shown; the reader's own columns where there is none. */
  setChoice: (choice: ColumnChoice) => void;
  /** The view in words, complete. */
  words: string;
  saved: SavedViews;
  /** The saved view that is shown, or was before something was changed. */
  applied: SavedView | undefined;
  isChanged: boolean;
  /** A link brought columns or rows of its own, and no saved view of the reader is like it. */
  isForeign: boolean;
  /** The URL that shows a view: only what differs from the reader's own columns is in it. */
  urlOf: (view: SavedView) => URLSearchParams;
  /** The URL without the layout and the name of a view. */
  ownUrl: () => URLSearchParams;
}

/** A choice that shows exactly these columns. */
const choiceOf = (told: readonly TableColumn[], columns: readonly string[]) => ({
  order: [...columns],
  hidden: told.filter(({ id, isExtra }) => !isExtra && !columns.includes(id)).map(({ id }) => id),
  added: [...columns],
});

/** `told`: the columns that this service has something to show in. */
export function useDeviceView(
  params: URLSearchParams,
  told: readonly TableColumn[],
  setParams: (params: URLSearchParams) => void,
): DeviceView {
  const own = useStore(columnChoice);
  const saved = useSavedViews();
  const [resting, setResting] = useState<{ from: URLSearchParams; choice: ColumnChoice }>();
  const toldIds = useMemo(() => new Set(told.map(({ id }) => id)), [told]);

  const given = readLayout(params);
  const hasLayout = given.columns !== undefined || given.density !== undefined;
  const linked: ColumnChoice = {
    ...own,
    ...(given.columns && { ...choiceOf(told, given.columns), widths: { ...given.widths } }),
    ...(given.density && { density: given.density }),
  };
  const choice = resting?.from === params ? resting.choice : hasLayout ? linked : own;

  const layoutOf = (of: ColumnChoice): Layout => ({
    columns: chosen(told, of).map(({ id }) => id),
    widths: of.widths,
    density: of.density,
  });
  // A column that the service does not tell (yet) stays a part of what a link brought.
  const layout = { ...layoutOf(choice), ...(choice === linked && given.columns && { columns: given.columns }) };
  const words = wordsOfView(params, layout);

  const named = saved.views.find(({ id }) => id === params.get(VIEW));
  const isShownBy = (view: SavedView) => isSameView(view.words, words, toldIds);
  const applied = named ?? saved.views.find(isShownBy);

  /** Of a layout what the reader's own would not show by itself. */
  const differing = ({ columns, widths, density }: Partial<Layout>): Partial<Layout> => {
    const mine = layoutOf(own);
    const print = (of: Partial<Layout>) => writeLayout(new URLSearchParams(), of).toString();
    const shown = columns?.filter((id) => toldIds.has(id)) ?? mine.columns;
    const isMine =
      print({ columns: shown, widths: widths ?? {} }) === print({ columns: mine.columns, widths: mine.widths });
    return {
      ...(columns && !isMine && { columns, widths: widths ?? {} }),
      ...(density && density !== mine.density && { density }),
    };
  };

  const setChoice = (wanted: ColumnChoice) => {
    if (hasLayout || named) setResting({ from: params, choice: wanted });
    else columnChoice.set(wanted);
  };
  useEffect(() => {
    if (resting?.from !== params) return;
    const timer = setTimeout(() => {
      const next = writeLayout(paramsNow(), differing(layoutOf(resting.choice)));
      // Until the URL has it, what rests is shown; where it has it already, there is nothing to wait for.
      if (next.toString() === params.toString()) setResting(undefined);
      else setParams(next);
    }, REST);
    return () => clearTimeout(timer);
  });

  return {
    choice,
    setChoice,
    words,
    saved,
    applied,
    isChanged: applied !== undefined && !isShownBy(applied),
    isForeign: hasLayout && applied === undefined,
    urlOf: ({ id, words: text }) => {
      const wanted = new URLSearchParams(text);
      const url = writeLayout(wanted, differing(readLayout(wanted)));
      url.set(VIEW, id);
      return url;
    },
    ownUrl: () => {
      const url = writeLayout(params, {});
      url.delete(VIEW);
      return url;
    },
  };
}
