// The URL of the map: filters, the part of the world, the open card and the colours. Replaced, not pushed, so that Back
// leaves the page instead of replaying every pan and letter.
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { filterWords, readRowFilter, withoutFilter, writeFilter } from '#/features/device-filters/filter-words.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { paths } from '#/paths.ts';
import { paramsNow } from '#/ui/url/params-now.ts';
import type { ColorBy } from './draw-marks.ts';

/** How long the map rests before its view goes into the URL: browsers limit how often an address may change. */
const REST = 250;

/**
 * Puts the view into the address past the router: a navigation of ours would take the reader back from a page that was
 * chosen and is still loading. By then the address may be another page's, which has no view.
 */
function keepView(view: string): void {
  const url = new URL(location.href);
  if (url.pathname !== paths.map()) return;
  url.searchParams.set('at', view);
  history.replaceState(history.state, '', url);
}

export function useMapUrl() {
  const [params, setParams] = useSearchParams();
  const words = filterWords(params);
  const filter = useMemo(() => readRowFilter(new URLSearchParams(words)), [words]);
  const set = (changes: Record<string, string | undefined>) =>
    setParams(
      () => {
        const next = paramsNow();
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const [view, setView] = useState<string>();
  useEffect(() => {
    if (view === undefined) return;
    const timer = setTimeout(() => keepView(view), REST);
    return () => clearTimeout(timer);
  }, [view]);
  const colorBy: ColorBy = params.get('color') === 'group' ? 'group' : 'state';
  return {
    params,
    filter,
    /** What filters, as a query string. */
    words,
    colorBy,
    chosenId: params.get('device') ?? undefined,
    set,
    setFilter: (change: RowFilter) => setParams(() => writeFilter(paramsNow(), change), { replace: true }),
    setView,
    clearFilter: () => setParams(() => withoutFilter(paramsNow()), { replace: true }),
  };
}

export type MapUrl = ReturnType<typeof useMapUrl>;
