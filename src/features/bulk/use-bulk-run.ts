// One write on many items as a dialog shows it: a result for each, pauses, and the way to send again what was not done. A
// service that carries it out by itself gets one request, and goes on when the dialog is closed.
import { useState } from 'react';
import type { BulkWrite } from '#/api/bulk.ts';
import { isOffered } from '#/api/capabilities.ts';
import { fleetStore } from '#/fleet/use-fleet.ts';
import type { DeviceWrite } from '#/fleet/table-changes.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { itemResult, type ItemResult } from './bulk-results.ts';
import { useRun } from './use-run.ts';
import { beginInService } from './watch-bulk.ts';

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
/** Milliseconds in which effects are gathered: each costs as much as many. */
const GATHERED = 300;

const effects: DeviceWrite[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows it in the fleet in memory, before that is read again. */
function showEffect(effect: DeviceWrite | undefined): void {
  if (!effect) return;
  effects.push(effect);
  timer ??= setTimeout(() => {
    timer = undefined;
    fleetStore().write(...effects.splice(0));
  }, GATHERED);
}

export function useBulkRun<Item>(kind: BulkKind<Item>, changes: readonly string[]) {
  const run = useRun<ItemResult>(changes);
  const [pause, setPause] = useState(0);
  const [phase, setPhase] = useState<'planned' | 'running' | 'ended'>('planned');
  const [inService, setInService] = useState(false);
  const { busy } = run;
  return {
    ...run,
    kind,
    /** A second time with what is to be sent again, whose results then replace the earlier ones. */
    start: ({ items, write: given }: Start<Item>) =>
      run.start(items.length, async (watch) => {
        const write = typeof given === 'function' ? await given() : given;
        const whole = (await isOffered('bulk')) ? write.whole?.(items) : undefined;
        // Refused as a whole, it is still a plan.
        const wait = whole && (await beginInService(whole));
        setInService(wait !== undefined);
        setPhase('running');
        try {
          if (wait) return await wait(watch);
          const queue = new RequestQueue({ atOnce: AT_ONCE, signal: watch.signal, onPause: setPause });
          await queue.writeEach(items, write, (item, result) => {
            const shown = itemResult(result);
            watch.onResult(kind.keyOf(item), shown);
            if (shown.outcome === 'done') showEffect(write.effect?.(item));
          });
        } finally {
          setPhase('ended');
        }
      }),
    /** The service does it: it goes on without this page. */
    inService,
    /** What is under way ends with this page. */
    needsPage: busy && !(inService && phase === 'running'),
    phase: busy && phase !== 'planned' ? 'running' : phase,
    /** Milliseconds that the service asked to wait; 0 while it goes on. */
    pause,
    error: phase === 'running' ? null : run.error,
  };
}
