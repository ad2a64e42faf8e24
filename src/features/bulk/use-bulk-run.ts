// A run of one write on many items as a dialog shows it: its results so far, whether it pauses, and the ways to cancel it and
// to send again what was not done.
import { useEffect, useRef, useState } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import type { BulkWrite } from '#/api/bulk.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { itemResult } from './bulk-results.ts';
import type { ItemResult } from './bulk-results.ts';

/** What a run is about. */
export interface BulkKind<Item> {
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** "device" */
  noun: string;
}

interface Start<Item> {
  items: readonly Item[];
  /** Once before each run: what has to be known or made first. When it fails, nothing was sent. */
  prepare: () => Promise<Pick<BulkWrite<Item>, 'send' | 'check'>>;
}

export interface RunningBulk<Item> {
  kind: BulkKind<Item>;
  /** Begins; a second time with what is to be sent again, whose results then take the place of the earlier ones. */
  start: (start: Start<Item>) => void;
  cancel: () => void;
  phase: 'planned' | 'running' | 'ended';
  /** Something is under way, what has to be known first included. */
  busy: boolean;
  /** How many this run is for, and how many of them have their result. */
  total: number;
  ended: number;
  /** Every result so far, of earlier runs too, by key. Another object after each change. */
  results: ReadonlyMap<string, ItemResult>;
  cancelling: boolean;
  /** Milliseconds that the service asked to wait; 0 while it goes on. */
  pause: number;
  /** Why nothing could begin. */
  error: Error | null;
}

/** Requests under way at a time. */
const AT_ONCE = 4;
/** How often a running bulk is drawn again, in milliseconds. */
const TICK = 120;

/** `invalidates`: what it makes stale; read again once, after all of it. */
export function useBulkRun<Item>(kind: BulkKind<Item>, invalidates: readonly QueryKey[]): RunningBulk<Item> {
  const [shown, setShown] = useState<Pick<RunningBulk<Item>, 'results' | 'total' | 'ended'>>({
    results: new Map(),
    total: 0,
    ended: 0,
  });
  const [pause, setPause] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  const [phase, setPhase] = useState<RunningBulk<Item>['phase']>('planned');
  const cancel = useRef(new AbortController());
  // Closed with its page, by a sign-out for example: nothing new is sent then.
  useEffect(() => () => cancel.current.abort(), []);

  const run = useWrite({
    mutationFn: async ({ items, prepare }: Start<Item>) => {
      const write = await prepare();
      const results = new Map(shown.results);
      let ended = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const draw = () => {
        timer = undefined;
        setShown({ results: new Map(results), total: items.length, ended });
      };
      setPhase('running');
      try {
        const queue = new RequestQueue({ atOnce: AT_ONCE, signal: cancel.current.signal, onPause: setPause });
        await queue.writeEach(items, write, (item, result) => {
          results.set(kind.keyOf(item), itemResult(result));
          ended++;
          timer ??= setTimeout(draw, TICK);
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
    kind,
    ...shown,
    start: (start) => {
      if (run.isUnderWay()) return;
      cancel.current = new AbortController();
      setCancelling(false);
      setShown(({ results }) => ({ results, total: start.items.length, ended: 0 }));
      run.mutate(start);
    },
    cancel: () => {
      setCancelling(true);
      cancel.current.abort();
    },
    phase: isPending && phase !== 'planned' ? 'running' : phase,
    busy: isPending,
    cancelling,
    pause,
    error: phase === 'running' ? null : run.error,
  };
}
