// What the table shows, as the URL has it, and the steps from there to another view.
import type { RefObject } from 'react';
import { useNavigate } from 'react-router';
import type { RowFilter } from '#/fleet/filter.ts';
import type { Sort } from '#/ui/table/sort.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { UNFILTERED, changeFleetView, fleetUrl, fleetViewOf } from './fleet-view.ts';
import type { FleetView, FleetViewChange, PageSize } from './fleet-view.ts';

export interface FleetViewSteps {
  /** `typed`: one of many small steps, not worth an entry in the history. */
  filterBy: (filter: RowFilter, typed: boolean) => void;
  clearFilters: () => void;
  toPage: (page: number) => void;
  toRows: (rows: PageSize | 'all') => void;
  /** Without a sort: the service's own order. */
  sortBy: (sort: Sort | undefined) => void;
  /** Goes to another view, by its query string. */
  go: (search: string) => void;
}

/** `scroller`: what goes back to its top with the rows. */
export function useFleetView(scroller: RefObject<HTMLElement | null>): { view: FleetView; steps: FleetViewSteps } {
  const [state, url] = useUrlState(fleetUrl);
  const navigate = useNavigate();
  const toTop = () => scroller.current?.scrollTo(0, 0);
  const change = (wanted: FleetViewChange, replace = false) =>
    url.set((now) => changeFleetView(now, wanted), { replace });
  const steps: FleetViewSteps = {
    filterBy: (filter, typed) => change({ filter }, typed),
    clearFilters: () => url.set(UNFILTERED, { replace: false }),
    toPage: (page) => {
      change({ page });
      toTop();
    },
    toRows: (rows) => {
      change({ rows });
      toTop();
    },
    sortBy: (sort) => {
      change({ sort });
      toTop();
    },
    go: (search) => {
      void navigate({ search });
      toTop();
    },
  };
  return { view: fleetViewOf(state), steps };
}
