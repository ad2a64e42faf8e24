// The view of the table in the URL, and how to change it.
import type { RefObject } from 'react';
import { useNavigate } from 'react-router';
import type { RowFilter } from '#/fleet/filter.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { columnChoice } from '#/pages/devices/table/column-choice.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import {
  UNFILTERED,
  changeFleetView,
  fleetUrl,
  fleetViewOf,
  extraFieldsOf,
  type FleetViewChange,
  type PageSize,
} from './fleet-view.ts';

export type FleetViewSteps = ReturnType<typeof useFleetView>['steps'];

/** `scroller`: scrolled to its top with a change of rows. */
export function useFleetView(scroller: RefObject<HTMLElement | null>) {
  const [state, url] = useUrlState(fleetUrl);
  const own = useStore(columnChoice);
  const navigate = useNavigate();
  const toTop = () => scroller.current?.scrollTo(0, 0);
  const change = (wanted: FleetViewChange, replace = false) =>
    url.set((now) => changeFleetView(now, wanted), { replace });
  const changeFromTop = (wanted: FleetViewChange) => {
    change(wanted);
    toTop();
  };
  const steps = {
    /** `typed`: one of many small steps, not worth an entry in the history. */
    filterBy: (filter: RowFilter, typed: boolean) => change({ filter }, typed),
    clearFilters: () => url.set(UNFILTERED, { replace: false }),
    toPage: (page: number) => changeFromTop({ page }),
    toRows: (rows: PageSize | 'all') => changeFromTop({ rows }),
    sortBy: (sort: Sort | undefined) => changeFromTop({ sort }),
    /** Goes to another view, by its query string. */
    go: (search: string) => {
      void navigate({ search });
      toTop();
    },
  };
  return { view: fleetViewOf(state), extraFields: extraFieldsOf(state, own), steps };
}
