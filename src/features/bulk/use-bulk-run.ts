// Runs a write on many items for a dialog: as bulk work of the service, which continues when the dialog is closed, or as one
// request after the other from this page.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import { isMissing } from '#/api/api-error.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { startBulk, bulkChanges, bulkQueries, cancelBulk, isRunning, type ReadBulk } from '#/api/bulk-work.ts';
import { isOffered } from '#/api/capabilities.ts';
import { fleetStore } from '#/fleet/use-fleet.ts';
import type { DeviceWrite } from '#/fleet/table-changes.ts';
import { runEach } from '#/lib/run-each.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { canBeUndone, offerBulkUndo, undoWorks } from '#/features/undo/undo-bulk.ts';
import { takeBack } from '#/features/undo/offer-undo.tsx';
import { itemResult, resultOfItem, type ItemResult } from './bulk-results.ts';

export interface BulkKind<Item> {
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** "device" */
  noun: string;
}

interface Start<Item> {
  items: readonly Item[];
  /** The write for each item, or a function that prepares it once; if that fails, nothing was sent. */
  write: BulkWrite<Item> | (() => Promise<BulkWrite<Item>>);
}

export type RunningBulk<Item> = ReturnType<typeof useBulkRun<Item>>;

type Results = ReadonlyMap<string, ItemResult>;
const NO_RESULTS: Results = new Map();
const NO_WORK: readonly string[] = [];

/** Milliseconds between two renders of results of this page's own requests, of which there may be thousands. */
const RENDER_INTERVAL = 120;

/** `changes`: the resources that the write makes stale. */
export function useBulkRun<Item>(kind: BulkKind<Item>, changes: readonly string[]) {
  /** Number of items in this run; undefined before the first run. */
  const [total, setTotal] = useState<number>();
  const [earlier, setEarlier] = useState(NO_RESULTS);
  const [own, setOwn] = useState(NO_RESULTS);
  const [workIds, setWorkIds] = useState(NO_WORK);
  const [pause, setPause] = useState(0);
  const [canUndo, setCanUndo] = useState(false);
  const [cancelled, setCancelled] = useState(false);
  /** Bulk work that can be undone: all runs of this dialog. */
  const undoable = useRef<string[]>([]);
  const work = useWork(workIds);
  const current = workIds.length > 0 ? work.results : own;
  const results = useMemo<Results>(() => new Map([...earlier, ...current]), [earlier, current]);

  // Aborted when the dialog unmounts, for example at sign-out: nothing more is sent then.
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  // A dialog covers the notice, so the offer begins when it closes.
  useEffect(() => () => void offerBulkUndo(undoable.current.splice(0)).catch(() => {}), []);

  /** Starts a run. Results of earlier runs stay until they are replaced. */
  const startRun = (count: number, ids: readonly string[]) => {
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
    const render = () => {
      timer = undefined;
      setOwn(new Map(found));
      if (effects.length > 0) fleetStore().write(...effects);
      effects = [];
    };
    abort.current = new AbortController();
    startRun(items.length, NO_WORK);
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
          timer ??= setTimeout(render, RENDER_INTERVAL);
        },
      });
    } finally {
      clearTimeout(timer);
      render();
    }
  };

  const start = useWrite({
    mutationFn: async ({ items, write: given }: Start<Item>) => {
      const write = typeof given === 'function' ? await given() : given;
      const request = (await isOffered('bulk')) ? write.toBulkRequest?.(items) : undefined;
      if (!request) return sendEach(items, write);
      const ids: string[] = [];
      for (const part of bulkChanges(request)) {
        const id = await startBulk(part);
        ids.push(id);
        if (canBeUndone(part.Action)) undoable.current.push(id);
      }
      setCanUndo(canBeUndone(request.Action));
      startRun(items.length, ids);
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
    /** May be called again to retry some items, whose results then replace the earlier ones. */
    start: (given: Start<Item>) => start.mutate(given),
    phase: total === undefined ? 'planned' : busy ? 'running' : 'ended',
    results,
    total: total ?? 0,
    ended: inService ? work.ended : own.size,
    busy,
    /** Whether the service does the work, which then continues without this page. */
    inService,
    /** Whether the run would end with this page. */
    needsPage: busy && !inService,
    /** Milliseconds that the service asked to wait; 0 while the run continues. */
    pause,
    cancel: () => {
      setCancelled(true);
      if (inService) cancelWork.mutate();
      else abort.current.abort();
    },
    /** Puts back what was changed; undefined if that is not possible. */
    undo: canUndo && inService ? () => void takeBack(() => undoWorks(undoable.current.splice(0))) : undefined,
    cancelling: cancelled && cancelWork.error === null,
    error: start.error ?? cancelWork.error ?? work.error,
  } as const;
}

/** Bulk work of the service; several if there are more items than one request may have. */
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
  // Work that no longer exists counts as over.
  const isOver = readings.every(({ data, error: failure }) => isMissing(failure) || (data && !isRunning(data.bulk)));
  return { results: results as Results, ended, isOver, error };
}
