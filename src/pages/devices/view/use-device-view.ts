// The columns and rows as they are drawn, the saved views, and how both are changed.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { isExtraField } from '#/features/device-filters/extra-fields.ts';
import { useSavedViews, type ShownView } from '#/features/saved-views/use-saved-views.ts';
import { chosen, columnChoice, type ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import { columnsFilledBy } from '#/pages/devices/table/table-columns.tsx';
import { paths } from '#/paths.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { choiceOf, differing, isSameLayout, tableLayoutOf, searchOf, viewStateOf } from './device-view.ts';
import { fleetUrl } from './fleet-view.ts';

/** A dragged column goes into the URL after this pause, since browsers limit how often the URL may change. */
const PAUSE = 250;

/** An extra field is only read once its column is shown, so a wanted column is always available. */
const columnsWith = (fields: ReadonlySet<string>, wanted: readonly string[]) =>
  columnsFilledBy(new Set([...fields, ...wanted.filter(isExtraField)]));

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
  const [pending, setPending] = usePendingChoice(layout, (choice) => {
    const columns = columnsWith(fields, choice.added);
    const next = differing(tableLayoutOf(choice, columns), own, columns);
    if (isSameLayout(next, layout)) return false;
    set({ layout: next });
    return true;
  });
  const choice = pending ?? linked;
  // The layout of a link keeps columns that the service does not report (yet).
  const drawn = { ...tableLayoutOf(choice, available), ...(!pending && layout.columns && { columns: layout.columns }) };
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
    /** The same array while the choice is the same, so that no row is rendered again. */
    columns: useMemo(() => chosen(available, choice), [available, choice]),
    choice,
    /** Changes the view that is shown, or else the user's own columns. */
    setChoice: (wanted: ColumnChoice) => {
      const isOwn = linked === own && !saved.views?.some(({ Name }) => Name === url.view);
      if (isOwn) columnChoice.set(wanted);
      else setPending(wanted);
    },
  };
}

/** A choice that is shown at once over the layout of the URL. `write` gets it after a pause, and returns whether it wrote. */
function usePendingChoice(layout: object, write: (choice: ColumnChoice) => boolean) {
  const [pending, setPending] = useState<{ layout: object; choice: ColumnChoice }>();
  const choice = pending?.layout === layout ? pending.choice : undefined;
  // The pending choice is shown until the URL has it; if the URL has it already, there is nothing to wait for.
  const end = useEffectEvent((settled: ColumnChoice) => {
    if (!write(settled)) setPending(undefined);
  });
  useEffect(() => {
    if (!choice) return;
    const timer = setTimeout(() => end(choice), PAUSE);
    return () => clearTimeout(timer);
  }, [choice]);
  return [choice, (wanted: ColumnChoice) => setPending({ layout, choice: wanted })] as const;
}
