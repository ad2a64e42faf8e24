// One write on many items as a dialog shows it: a result for each, pauses, and the way to send again what was not done.
import { useState } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import type { BulkWrite } from '#/api/bulk.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { itemResult, type ItemResult } from './bulk-results.ts';
import { useRun } from './use-run.ts';

export interface BulkKind<Item> {
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** "device" */
  noun: string;
}

interface Start<Item> {
  items: readonly Item[];
  /** What is sent for each; as a function, what has to be known or made once before: when it fails, nothing was sent. */
  write: BulkWrite<Item> | (() => Promise<BulkWrite<Item>>);
}

export type RunningBulk<Item> = ReturnType<typeof useBulkRun<Item>>;

const AT_ONCE = 4;

export function useBulkRun<Item>(kind: BulkKind<Item>, invalidates: readonly QueryKey[]) {
  const run = useRun<ItemResult>(invalidates);
  const [pause, setPause] = useState(0);
  const [phase, setPhase] = useState<'planned' | 'running' | 'ended'>('planned');
  const { busy } = run;
  return {
    ...run,
    kind,
    /** A second time with what is to be sent again, whose results then replace the earlier ones. */
    start: ({ items, write: given }: Start<Item>) =>
      run.start(items.length, async ({ signal, onResult }) => {
        const write = typeof given === 'function' ? await given() : given;
        setPhase('running');
        try {
          const queue = new RequestQueue({ atOnce: AT_ONCE, signal, onPause: setPause });
          await queue.writeEach(items, write, (item, result) => onResult(kind.keyOf(item), itemResult(result)));
        } finally {
          setPhase('ended');
        }
      }),
    phase: busy && phase !== 'planned' ? 'running' : phase,
    /** Milliseconds that the service asked to wait; 0 while it goes on. */
    pause,
    error: phase === 'running' ? null : run.error,
  };
}
