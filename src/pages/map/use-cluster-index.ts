// The index of what the map draws: built at once for a small fleet, in a worker for a large one, where the map keeps
// showing the index before it until the new one is there.
import { useEffect, useMemo, useRef, useState } from 'react';
import { ClusterIndex, buildCurve } from './cluster-index.ts';
import type { Points } from './cluster-index.ts';
import type { CurveAnswer, CurveRequest } from './cluster-worker.ts';

/** Up to here building takes a few milliseconds, less than the way to a worker and back. */
const AT_ONCE = 4000;

/** `points` must be the same object as long as nothing in it changes. */
export function useClusterIndex(points: Points): ClusterIndex | undefined {
  const small = useMemo(
    () => (points.rows.length <= AT_ONCE ? new ClusterIndex(buildCurve(points)) : undefined),
    [points],
  );
  const [large, setLarge] = useState<ClusterIndex>();
  const worker = useRef<Worker>(undefined);
  const asked = useRef(0);

  useEffect(() => () => worker.current?.terminate(), []);
  useEffect(() => {
    const id = ++asked.current;
    if (points.rows.length <= AT_ONCE) return;
    worker.current ??= new Worker(new URL('./cluster-worker.ts', import.meta.url), { type: 'module' });
    // Where a worker cannot be loaded, slow is better than nothing; the next points try another one.
    worker.current.onerror = (event) => {
      event.preventDefault();
      worker.current?.terminate();
      worker.current = undefined;
      if (id === asked.current) setLarge(new ClusterIndex(buildCurve(points)));
    };
    worker.current.onmessage = ({ data }: MessageEvent<CurveAnswer>) => {
      if (data.id === asked.current) setLarge(new ClusterIndex(data.curve));
    };
    worker.current.postMessage({ id, points } satisfies CurveRequest);
  }, [points]);

  return small ?? large;
}
