// The columns and rows as they are drawn, the saved views, and how both are changed.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { notifications } from '@mantine/notifications';
import { stored } from '#/lib/stored.ts';
import { chosen, columnChoice, type ColumnChoice } from '#/pages/devices/table/column-choice.ts';
import { columnsFilledBy } from '#/pages/devices/table/table-columns.tsx';
import { printViews, readViews, type SavedView } from '#/pages/devices/views/saved-views.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { choiceOf, differing, isSameLayout, tableLayoutOf, searchOf, viewStateOf } from './device-view.ts';
import { fleetUrl } from './fleet-view.ts';

/** How long a column that is being dragged rests before it goes into the URL: browsers limit how often that may change. */
const REST = 250;

const NONE: readonly SavedView[] = [];
const savedViews = stored('muster-views', NONE, { read: (text) => readViews(text).views, print: printViews });

const useSavedViews = () => ({
  views: useStore(savedViews),
  change: (change: (views: readonly SavedView[]) => readonly SavedView[]) => {
    // Another tab may have saved one since this was drawn.
    if (savedViews.set(change(savedViews.get()))) return;
    notifications.show({
      message: 'This browser blocks storage: export your views, or lose them with this page.',
      color: 'yellow',
    });
  },
  /** The browser refuses to store them: they are lost with the page. */
  onlyHeld: savedViews.isRefused(),
});

export type DeviceView = ReturnType<typeof useDeviceView>;

/** `fields`: those of a device that the service fills. */
export function useDeviceView(fields: ReadonlySet<string>) {
  const [url, { set, to }] = useUrlState(fleetUrl);
  const { layout } = url;
  const own = useStore(columnChoice);
  const saved = useSavedViews();
  const { available, linked } = useMemo(() => {
    const columns = columnsFilledBy(fields);
    return { available: columns, linked: choiceOf(own, layout, columns) };
  }, [fields, own, layout]);
  const [resting, rest] = useResting(layout, (choice) => {
    const next = differing(tableLayoutOf(choice, available), own, available);
    if (isSameLayout(next, layout)) return false;
    set({ layout: next });
    return true;
  });
  const choice = resting ?? linked;
  // A column that the service does not report (yet) stays a part of what a link brought.
  const drawn = { ...tableLayoutOf(choice, available), ...(!resting && layout.columns && { columns: layout.columns }) };
  return {
    ...viewStateOf(url, drawn, saved.views, available),
    available,
    /** The same array while nothing was chosen anew, so that no row is drawn for it. */
    columns: useMemo(() => chosen(available, choice), [available, choice]),
    choice,
    /** Changes the view that is shown; the reader's own columns where there is none. */
    setChoice: (wanted: ColumnChoice) => {
      const isOwn = linked === own && saved.views.every(({ id }) => id !== url.view);
      if (isOwn) columnChoice.set(wanted);
      else rest(wanted);
    },
    saved,
    searchOf: (view: SavedView) => searchOf(view, own, available),
    /** The query string without the layout and the name of a view. */
    ownSearch: to({ layout: {}, view: undefined }).search,
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
