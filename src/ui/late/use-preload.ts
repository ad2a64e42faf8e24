// Loads code that the first paint does not need shortly after it, so that it is there when it is wanted.
import { useEffect, useState } from 'react';
import { setMissing, type LoadPart } from './not-loaded.ts';

/** Milliseconds during which the first paint has the network to itself. */
const HEAD_START = 1_000;
/** Milliseconds between a failed load and the next attempt. */
const PAUSE = 5_000;

/**
 * Returns whether the import is done. It starts soon after the first render, or at once if `wanted`, and is repeated after
 * a failure, which is reported while `wanted`. Only the first `load` counts. For components use `lazyDialog` or
 * `lazyPart`.
 */
export function usePreload(load: LoadPart, wanted: boolean): boolean {
  const [isLoaded, setLoaded] = useState(false);
  const [start] = useState(() => load);
  useEffect(() => {
    if (isLoaded) return;
    let isMounted = true;
    let timer: ReturnType<typeof setTimeout>;
    const attempt = () => {
      start().then(
        () => isMounted && setLoaded(true),
        () => {
          if (!isMounted) return;
          setMissing(start, wanted);
          timer = setTimeout(attempt, PAUSE);
        },
      );
    };
    timer = setTimeout(attempt, wanted ? 0 : HEAD_START);
    return () => {
      isMounted = false;
      clearTimeout(timer);
      setMissing(start, false);
    };
  }, [isLoaded, start, wanted]);
  return isLoaded;
}
