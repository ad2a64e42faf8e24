// The index of what the map draws: built at once for a small fleet, in a worker for a large one. The map shows the old
// index until the new one is there.
import { useEffect, useMemo, useState } from 'react';
import { WorkerClient } from '#/lib/worker-client.ts';
import { ClusterIndex, buildCurve } from './cluster-index.ts';
import type { CurveArrays, Points } from './cluster-index.ts';

/** Up to here building takes a few milliseconds, less than the way to a worker and back. */
const AT_ONCE = 4000;

/** `points` must be the same object as long as nothing in it changes. */
export function useClusterIndex(points: Points): ClusterIndex | undefined {
  const small = useMemo(
    () => (points.rows.length <= AT_ONCE ? new ClusterIndex(buildCurve(points)) : undefined),
    [points],
  );
  const [large, setLarge] = useState<ClusterIndex>();
  const [worker] = useState(
    () =>
      new WorkerClient<Points, CurveArrays>(
        () => new Worker(new URL('./cluster-worker.ts', import.meta.url), { type: 'module' }),
      ),
  );

  useEffect(() => () => worker.close(), [worker]);
  useEffect(() => {
    if (points.rows.length <= AT_ONCE) return;
    const outdated = new AbortController();
    void worker.ask(points, { signal: outdated.signal }).then(
      (curve) => setLarge(new ClusterIndex(curve)),
      // Where a worker cannot be loaded, slow is better than nothing; the next points try another one.
      () => outdated.signal.aborted || setLarge(new ClusterIndex(buildCurve(points))),
    );
    return () => outdated.abort();
  }, [points, worker]);

  return small ?? large;
}
