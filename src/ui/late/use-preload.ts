// Code that no page needs for its first picture: fetched a little after it, so that it is there when it is wanted.
import { useEffect, useState } from 'react';
import { setMissing, type LoadPart } from './not-loaded.ts';

/** How long the first picture has the line for itself, in milliseconds. */
const HEAD_START = 1_000;
/** Pause after a fetch that failed. */
const PAUSE = 5_000;

/**
 * Whether what `load` imports is loaded. It is fetched soon after the first render, at once when it is `wanted`, and
 * again after a failure. A failure is reported, with the way to reload the page, while it is wanted. Only the first
 * `load` counts. `lazyDialog` and `lazyPart` are this for components.
 */
export function usePreload(load: LoadPart, wanted: boolean): boolean {
  const [here, setHere] = useState(false);
  const [start] = useState(() => load);
  useEffect(() => {
    if (here) return;
    let live = true;
    let timer: ReturnType<typeof setTimeout>;
    const attempt = () => {
      start().then(
        () => live && setHere(true),
        () => {
          if (!live) return;
          setMissing(start, wanted);
          timer = setTimeout(attempt, PAUSE);
        },
      );
    };
    timer = setTimeout(attempt, wanted ? 0 : HEAD_START);
    return () => {
      live = false;
      clearTimeout(timer);
      setMissing(start, false);
    };
  }, [here, start, wanted]);
  return here;
}
