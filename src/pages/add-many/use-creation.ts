// The creation of devices for the page: as bulk work of the service, which the page's URL names so that it can be reopened,
// or one device after the other by this page, which is then the only holder of their keys.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import type { NewBulkDevice } from '#/contract/bulk.ts';
import { isMissing } from '#/api/api-error.ts';
import { startBulk, bulkQueries, cancelBulk, isRunning, removeBulkKeys, type ReadBulk } from '#/api/bulk-work.ts';
import { isOffered } from '#/api/capabilities.ts';
import { TagIds } from '#/api/tag-ids.ts';
import { provisioned, provisioning } from '#/fleet/provisioning.ts';
import { runEach } from '#/lib/run-each.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { createOne, creationOf, creationsOf, latest, remains, type Creation } from './creation.ts';

const addManyUrl = urlSchema<{ work: string | undefined }>({ work: optional });

export type CreationRun = ReturnType<typeof useCreation>;

const NONE: readonly Creation[] = [];
/** Milliseconds between two renders of this page's own results. */
const RENDER_INTERVAL = 200;

export function useCreation() {
  const [{ work: named }, url] = useUrlState(addManyUrl);
  const ids = useMemo(() => (named === undefined ? [] : named.split(',').filter(Boolean)), [named]);
  const works = useQueries({ queries: ids.map(bulkQueries.one), combine: combineWorks });
  const own = useOwnRun();

  const start = useWrite({
    mutationFn: async (devices: readonly NewBulkDevice[]) => {
      if (!(await isOffered('bulk'))) return own.run(devices);
      const id = await startBulk({ Action: 'create', Devices: [...devices] });
      url.set({ work: [...ids, id].join(',') });
    },
    meta: { changes: ['account'] },
  });
  const cancel = useWrite({
    mutationFn: async () => {
      own.stop();
      for (const id of works.running) await cancelBulk(id);
    },
    meta: { changes: ['bulk'] },
  });
  const removeKeys = {
    mutationFn: async () => {
      for (const id of ids) await removeBulkKeys(id);
    },
    meta: { changes: ['bulk'] },
  };

  const creations = useMemo(() => latest([...works.creations, ...own.runs]), [works.creations, own.runs]);
  return {
    creations,
    total: Math.max(creations.length, works.total + own.total),
    /** Whether there are results to show. */
    isBegun: (ids.length > 0 && !works.isGone) || own.total > 0,
    isRead: works.isRead,
    running: start.isPending || works.running.length > 0,
    /** Whether leaving the page would end the run and lose its keys. */
    needsPage: own.running,
    /** Whether the service stores the keys, which can be read again until they are deleted. */
    isStored: ids.length > 0 && !works.isGone,
    pause: own.pause,
    start: (devices: readonly NewBulkDevice[]) => start.mutate(devices),
    cancel,
    removeKeys,
    /** The error of reading, starting or cancelling. */
    error: start.error ?? cancel.error ?? works.error,
    retry: works.retry,
  };
}

interface Reading {
  data?: ReadBulk | undefined;
  error: Error | null;
  refetch: () => unknown;
}

function combineWorks(readings: readonly Reading[]) {
  const read = readings.flatMap(({ data }) => data ?? []);
  const runs = read.map(creationsOf);
  const sizes = read.map(({ bulk: { Counts } }) => Counts.Done + Counts.Failed + Counts.Skipped + Counts.Left);
  const devices = runs.slice(0, -1).reduce((sum, creations) => sum + creations.filter(remains).length, 0);
  return {
    creations: runs,
    total: devices + (sizes.at(-1) ?? 0),
    running: read.flatMap(({ bulk }) => (isRunning(bulk) ? bulk.BulkId : [])),
    isRead: readings.every(({ data, error }) => data !== undefined || isMissing(error)),
    /** The service deletes bulk work after a week. */
    isGone: readings.every(({ error }) => isMissing(error)),
    error: readings.find(({ error }) => error !== null)?.error ?? null,
    retry: () => readings.forEach(({ refetch }) => void refetch()),
  };
}

/** Creates one device after the other. */
function useOwnRun() {
  const [runs, setRuns] = useState<readonly (readonly Creation[])[]>([]);
  const [total, setTotal] = useState(0);
  const [running, setRunning] = useState(false);
  const [pause, setPause] = useState(0);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);

  const run = async (devices: readonly NewBulkDevice[]) => {
    const { signal } = (abort.current = new AbortController());
    const tags = new TagIds(provisioning);
    const earlier = runs.map((creations) => creations.filter(remains));
    const found: Creation[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setRuns([...earlier, [...found]]);
    };
    setRunning(true);
    setTotal(earlier.flat().length + devices.length);
    setRuns([...earlier, NONE]);
    try {
      await runEach(devices, {
        send: (asked) => createOne(asked, tags),
        signal,
        onPause: setPause,
        onResult: (asked, result) => {
          found.push(creationOf(`${runs.length} ${found.length}`, asked, result));
          timer ??= setTimeout(draw, RENDER_INTERVAL);
        },
      });
    } finally {
      clearTimeout(timer);
      draw();
      setRunning(false);
      provisioned();
    }
  };
  return { runs, total, running, pause, run, stop: () => abort.current.abort() };
}
