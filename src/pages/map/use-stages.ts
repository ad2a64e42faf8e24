// A page that is drawn in parts: Leaflet, the base map and the fleet all at once would hold the page for a fifth of a
// second, in which no click and no key is answered.
import { startTransition, useEffect, useState } from 'react';
import { nextTask } from '#/lib/pace.ts';

/** Counts from 0 up to `last`, each number in a task of its own. */
export function useStages(last: number): number {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    if (stage >= last) return;
    let isLeft = false;
    void nextTask().then(() => {
      if (!isLeft) startTransition(() => setStage(stage + 1));
    });
    return () => {
      isLeft = true;
    };
  }, [stage, last]);
  return stage;
}
