// The columns and rows as they are drawn, the saved views, and how both are changed.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { ShownView } from '#/features/saved-views/shown-view.ts';
import { useSavedViews } from '#/features/saved-views/use-saved-views.ts';
import { chosen, columnChoice, type ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import { columnsFilledBy } from '#/pages/devices/table/table-columns.tsx';
import { paths } from '#/paths.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { choiceOf, differing, isSameLayout, tableLayoutOf, searchOf, viewStateOf } from './device-view.ts';
import { fleetUrl, isVersion } from './fleet-view.ts';

/** How long a column that is being dragged rests before it goes into the URL: browsers limit how often that may change. */
const REST = 250;

/** The version of an artifact has its column as soon as it is wanted: only then it is read. */
const columnsWith = (fields: ReadonlySet<string>, wanted: readonly string[]) =>
  columnsFilledBy(new Set([...fields, ...wanted.filter(isVersion)]));

/** `fields`: those of a device that the service fills. */
export function useDeviceView(fields: ReadonlySet<string>) {
  const [url, { set, to }] = useUrlState(fleetUrl);
  const { layout } = url;
  const own = useStore(columnChoice);
  const saved = useSavedViews();
  const { available, linked } = useMemo(() => {
    const columns = columnsWith(fields, layout.columns ?? own.added);
    return { available: columns, linked: choiceOf(own, layout, columns) };
  }, [fields, own, layout]);
  const [resting, rest] = useResting(layout, (choice) => {
    const columns = columnsWith(fields, choice.added);
    const next = differing(tableLayoutOf(choice, columns), own, columns);
    if (isSameLayout(next, layout)) return false;
    set({ layout: next });
    return true;
  });
  const choice = resting ?? linked;
  // A column that the service does not report (yet) stays a part of what a link brought.
  const drawn = { ...tableLayoutOf(choice, available), ...(!resting && layout.columns && { columns: layout.columns }) };
  const state = viewStateOf(url, drawn, saved.views, available);
  const shown: ShownView = {
    ...state,
    changedQuery: state.words,
    content: 'filters, search, sort, columns and row height',
    path: paths.devices(),
    saved,
    searchOf: (view) => searchOf(view, own, available),
    /** The query string without the layout and the name of a view. */
    ownSearch: to({ layout: {}, view: undefined }).search,
  };
  return {
    shown,
    available,
    /** The same array while nothing was chosen anew, so that no row is drawn for it. */
    columns: useMemo(() => chosen(available, choice), [available, choice]),
    choice,
    /** Changes the view that is shown; the reader's own columns where there is none. */
    setChoice: (wanted: ColumnChoice) => {
      const isOwn = linked === own && !saved.views?.some(({ Name }) => Name === url.view);
      if (isOwn) columnChoice.set(wanted);
      else rest(wanted);
    },
  };
}

/** A choice that is shown at once over a layout of the URL; `write` gets it when it rests, and returns whether it wrote. */
function useResting(layout: object, write: (choice: ColumnChoice) => boolean) {
  const [resting, setResting] = useState<{ layout: object; choice: ColumnChoice }>();
  const choice = resting?.layout === layout ? resting.choice : undefined;
  // Until the URL has it, what rests is shown; where it has it already, there is nothing to wait for.
  const end = useEffectEvent((rested: ColumnChoice) => {
    if (!write(rested)) setResting(undefined);
  });
  useEffect(() => {
    if (!choice) return;
    const timer = setTimeout(() => end(choice), REST);
    return () => clearTimeout(timer);
  }, [choice]);
  return [choice, (wanted: ColumnChoice) => setResting({ layout, choice: wanted })] as const;
}
