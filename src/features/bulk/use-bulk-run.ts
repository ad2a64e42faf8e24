// A run of one action as a dialog shows it: its results so far, whether it pauses, and the ways to cancel it and to send
// again what was not done.
import { useEffect, useRef, useState } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import type { BulkWrite } from '#/api/bulk.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { runBulk } from './bulk-run.ts';
import type { ItemResult } from './bulk-run.ts';

/** A device as far as a run needs it. */
export interface BulkItem {
  DeviceId: string;
  DeviceName: string;
}

interface Start {
  items: readonly BulkItem[];
  /** Once before each run: what has to be known or made first. When it fails, nothing was sent. */
  prepare: () => Promise<BulkWrite>;
}

export interface RunningBulk {
  /** Begins; a second time with what is to be sent again, whose results then take the place of the earlier ones. */
  start: (start: Start) => void;
  cancel: () => void;
  phase: 'planned' | 'running' | 'ended';
  /** Something is under way, what has to be known first included. */
  busy: boolean;
  /** How many this run is for, and how many of them have their result. */
  total: number;
  ended: number;
  /** Every result so far, of earlier runs too, by device. Another object after each change. */
  results: ReadonlyMap<string, ItemResult>;
  cancelling: boolean;
  /** Milliseconds that the service asked to wait; 0 while it goes on. */
  pause: number;
  /** Why nothing could begin. */
  error: Error | null;
}

/** How often a running bulk is drawn again, in milliseconds. */
const TICK = 120;

/** `invalidates`: what it makes stale; read again once, after all of it. */
export function useBulkRun(invalidates: readonly QueryKey[]): RunningBulk {
  const [results, setResults] = useState<ReadonlyMap<string, ItemResult>>(new Map());
  const [{ total, ended }, setProgress] = useState({ total: 0, ended: 0 });
  const [pause, setPause] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  const [phase, setPhase] = useState<RunningBulk['phase']>('planned');
  const cancel = useRef(new AbortController());
  // Whatever takes the dialog away, a sign-out for example: nothing new is sent then.
  useEffect(() => () => cancel.current.abort(), []);

  const run = useWrite({
    mutationFn: async ({ items, prepare }: Start) => {
      const { send, check } = await prepare();
      const found = new Map(results);
      let count = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const draw = () => {
        timer = undefined;
        setResults(new Map(found));
        setProgress({ total: items.length, ended: count });
      };
      setPhase('running');
      try {
        await runBulk({
          items,
          send,
          check,
          signal: cancel.current.signal,
          onResult: ({ DeviceId }, result) => {
            found.set(DeviceId, result);
            count++;
            timer ??= setTimeout(draw, TICK);
          },
          onPause: setPause,
        });
      } finally {
        clearTimeout(timer);
        draw();
        setPhase('ended');
      }
    },
    meta: { invalidates },
  });

  const { isPending } = run;
  return {
    start: (start) => {
      if (run.isUnderWay()) return;
      cancel.current = new AbortController();
      setCancelling(false);
      setProgress({ total: start.items.length, ended: 0 });
      run.mutate(start);
    },
    cancel: () => {
      setCancelling(true);
      cancel.current.abort();
    },
    phase: isPending && phase !== 'planned' ? 'running' : phase,
    busy: isPending,
    total,
    ended,
    results,
    cancelling,
    pause,
    error: phase === 'running' ? null : run.error,
  };
}
