// One write on many items as a dialog shows it: carried out by the service, which goes on when the dialog is closed, or
// as one request after the other by this page.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import { isMissing } from '#/api/api-error.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { beginBulk, bulkChanges, bulkQueries, cancelBulk, isRunning, type ReadBulk } from '#/api/bulk-work.ts';
import { isOffered } from '#/api/capabilities.ts';
import { fleetStore } from '#/fleet/use-fleet.ts';
import type { DeviceWrite } from '#/fleet/table-changes.ts';
import { runEach } from '#/lib/run-each.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { itemResult, resultOfItem, type ItemResult } from './bulk-results.ts';

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

type Results = ReadonlyMap<string, ItemResult>;
const NO_RESULTS: Results = new Map();
const NO_WORK: readonly string[] = [];

/** How often the results of this page's own requests are drawn, in milliseconds: thousands may follow each other. */
const TICK = 120;

/** `changes`: what it makes stale. */
export function useBulkRun<Item>(kind: BulkKind<Item>, changes: readonly string[]) {
  /** How many items this run is for; undefined before the first one. */
  const [total, setTotal] = useState<number>();
  const [earlier, setEarlier] = useState(NO_RESULTS);
  const [own, setOwn] = useState(NO_RESULTS);
  const [workIds, setWorkIds] = useState(NO_WORK);
  const [pause, setPause] = useState(0);
  const [cancelled, setCancelled] = useState(false);
  const work = useWork(workIds);
  const current = workIds.length > 0 ? work.results : own;
  const results = useMemo<Results>(() => new Map([...earlier, ...current]), [earlier, current]);

  // Closed with its page, by a sign-out for example: nothing more is sent then.
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);

  /** The results of earlier runs stay until they are replaced. */
  const begin = (count: number, ids: readonly string[]) => {
    setEarlier(results);
    setOwn(NO_RESULTS);
    setCancelled(false);
    setTotal(count);
    setWorkIds(ids);
  };

  const sendEach = async (items: readonly Item[], { send, effect }: BulkWrite<Item>) => {
    const found = new Map<string, ItemResult>();
    let effects: DeviceWrite[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setOwn(new Map(found));
      if (effects.length > 0) fleetStore().write(...effects);
      effects = [];
    };
    abort.current = new AbortController();
    begin(items.length, NO_WORK);
    try {
      await runEach(items, {
        send,
        signal: abort.current.signal,
        repeatable: true,
        onPause: setPause,
        onResult: (item, result) => {
          const shown = itemResult(result);
          found.set(kind.keyOf(item), shown);
          if (shown.outcome === 'done' && effect) effects.push(effect(item));
          timer ??= setTimeout(draw, TICK);
        },
      });
    } finally {
      clearTimeout(timer);
      draw();
    }
  };

  const start = useWrite({
    mutationFn: async ({ items, write: given }: Start<Item>) => {
      const write = typeof given === 'function' ? await given() : given;
      const request = (await isOffered('bulk')) ? write.toBulkRequest?.(items) : undefined;
      if (!request) return sendEach(items, write);
      const ids: string[] = [];
      for (const part of bulkChanges(request)) ids.push(await beginBulk(part));
      begin(items.length, ids);
    },
    meta: { changes },
  });
  const cancelWork = useWrite({
    mutationFn: () => Promise.all(workIds.map(cancelBulk)),
    meta: { changes: ['bulk'] },
  });

  const inService = workIds.length > 0;
  const busy = start.isPending || (inService && !work.isOver);
  return {
    kind,
    /** A second time with what is to be done again, whose results then replace the earlier ones. */
    start: (given: Start<Item>) => start.mutate(given),
    phase: total === undefined ? 'planned' : busy ? 'running' : 'ended',
    results,
    total: total ?? 0,
    ended: inService ? work.ended : own.size,
    busy,
    /** The service does it: it goes on without this page. */
    inService,
    /** What is under way ends with this page. */
    needsPage: busy && !inService,
    /** Milliseconds that the service asked to wait; 0 while it goes on. */
    pause,
    cancel: () => {
      setCancelled(true);
      if (inService) cancelWork.mutate();
      else abort.current.abort();
    },
    cancelling: cancelled && cancelWork.error === null,
    error: start.error ?? cancelWork.error ?? work.error,
  } as const;
}

/** Work of the service, of which there are several where it takes no more items at once. */
function useWork(ids: readonly string[]) {
  return useQueries({ queries: ids.map(bulkQueries.one), combine: combineWork });
}

function combineWork(readings: readonly { data?: ReadBulk | undefined; error: Error | null }[]) {
  const results = new Map<string, ItemResult>();
  let ended = 0;
  for (const { data } of readings) {
    if (!data) continue;
    for (const item of data.items) results.set(item.Id, resultOfItem(item));
    const { Done, Failed, Skipped } = data.bulk.Counts;
    ended += Done + Failed + Skipped;
  }
  const error = readings.find((reading) => reading.error !== null)?.error ?? null;
  // What cannot be read any more is over for this dialog.
  const isOver = readings.every(({ data, error: failure }) => isMissing(failure) || (data && !isRunning(data.bulk)));
  return { results: results as Results, ended, isOver, error };
}
