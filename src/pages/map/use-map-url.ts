// The URL of the map: filters, the part of the world, the open card and the colours. Replaced, not pushed, so that Back
// leaves the page instead of replaying every pan and letter.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useNavigation, useSearchParams } from 'react-router';
import type { ColorBy } from './draw-marks.ts';
import { filterWords, readFilter, withoutFilter } from './map-view.ts';

/** How long the map rests before its view goes into the URL: browsers limit how often an address may change. */
const REST = 250;

export function useMapUrl() {
  const [params, setParams] = useSearchParams();
  const words = filterWords(params);
  const filter = useMemo(() => readFilter(new URLSearchParams(words)), [words]);
  const set = (changes: Record<string, string | undefined>) =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const latest = useRef(set);
  useEffect(() => {
    latest.current = set;
  });
  const [view, setView] = useState<string>();
  // Once a link was followed, a change of this address would take the reader back from a page that is still loading.
  const leaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (view === undefined || leaving) return;
    const timer = setTimeout(() => latest.current({ at: view }), REST);
    return () => clearTimeout(timer);
  }, [view, leaving]);
  const colorBy: ColorBy = params.get('color') === 'group' ? 'group' : 'state';
  return {
    params,
    filter,
    /** What filters, as a query string. */
    words,
    colorBy,
    chosenId: params.get('device') ?? undefined,
    set,
    setView,
    clearFilter: () => setParams(withoutFilter, { replace: true }),
  };
}

export type MapUrl = ReturnType<typeof useMapUrl>;
