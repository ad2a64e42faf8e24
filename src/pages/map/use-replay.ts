// Reads the fleet's past and lets the map show it.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { pathOf, send } from '#/api/call.ts';
import { query } from '#/api/query.ts';
import { historyEndpoints } from '#/contract/history.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { nextTask, runChunked } from '#/lib/pace.ts';
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import { useStore } from '#/ui/state/use-store.ts';
import type { ClusterIndex } from './cluster-index.ts';
import {
  FleetReplay,
  STATES,
  curveSteps,
  stepOf,
  type ReplayCurve,
  readReplay,
  spanAround,
  type ReplayColumns,
  type ReplaySpan,
} from './replay-data.ts';
import { ReplayPlayer } from './replay-player.ts';
import { deviceNameAt } from './map-fleet.ts';
import type { ShownPast } from './shown-past.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import { SPEEDS, writeMoment, type Speed } from './use-map-url.ts';

const HOUR = 3_600_000;
const LENGTHS = { '24h': 24 * HOUR, '7d': 168 * HOUR };
export type ReplayLength = keyof typeof LENGTHS;

/** Points of the curve: a key moves by one of them, five minutes of a day. */
const POINTS = 288;
/** A week of a large fleet takes a while. */
const TIMEOUT = 120_000;
/** Milliseconds until the moment goes into the URL. */
const REST = 250;
const SHORTEST_MS = 10_000;
const WORDS = ['Online', 'Offline', 'Unknown', 'NotConnected'];

/** Reads the answer in a worker, which starts while the service computes. */
async function readInWorker(answer: () => Promise<{ text: string }>, to: number): Promise<ReplayColumns> {
  const worker = new WorkerClient<{ text: string; to: number }, ReplayColumns>(
    () => new Worker(new URL('./replay-worker.ts', import.meta.url), { type: 'module' }),
  );
  worker.begin();
  try {
    const { text } = await answer();
    return await worker.ask({ text, to }).catch((error: unknown) => {
      // If the worker cannot be loaded, it is read here, slowly.
      if (error instanceof WorkerError) return readReplay(text, to);
      throw error;
    });
  } finally {
    worker.close();
  }
}

function replayQuery({ from, to }: ReplaySpan) {
  const request = { query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } };
  return query<typeof historyEndpoints.replay, ReplayColumns>(historyEndpoints.replay, request, {
    read: ({ signal }) =>
      readInWorker(
        () => send('GET', pathOf(historyEndpoints.replay, request), undefined, { signal, timeout: TIMEOUT }),
        to,
      ),
    isSnapshot: true,
    structuralSharing: false,
    gcTime: 0,
  });
}

/** The site of each device, or else its group, or else itself. */
function placesOf(fleet: FleetIndex, rows: Int32Array) {
  const [sites, groups] = [fleet.coded('CustomerSite'), fleet.coded('DeviceGroup')];
  const siteCount = sites?.texts.length ?? 0;
  const groupCount = groups?.texts.length ?? 0;
  const placeOf = new Int32Array(rows.length);
  for (let device = 0; device < rows.length; device++) {
    const row = rows[device]!;
    const [site, group] = row < 0 ? [0, 0] : [sites?.code(row) ?? 0, groups?.code(row) ?? 0];
    if (row < 0) placeOf[device] = -1;
    else if (sites?.texts[site]) placeOf[device] = site;
    else if (groups?.texts[group]) placeOf[device] = siteCount + group;
    else placeOf[device] = siteCount + groupCount + device;
  }
  // Later versions of the fleet add texts to the same lists.
  const nameOf = (place: number): string => {
    if (place < siteCount) return sites?.texts[place] ?? '';
    if (place < siteCount + groupCount) return groups?.texts[place - siteCount] ?? '';
    return deviceNameAt(fleet, rows[place - siteCount - groupCount] ?? 0);
  };
  return { placeOf, places: siteCount + groupCount + rows.length, nameOf };
}

/** The rows of the devices of a replay, -1 for those that are no longer there, and the way back. */
function matchRows(fleet: FleetIndex, { ids }: ReplayColumns) {
  const rows = new Int32Array(ids.length);
  let end = 0;
  for (let device = 0; device < ids.length; device++) {
    const row = fleet.rowOf(ids[device]!) ?? -1;
    rows[device] = row;
    end = Math.max(end, row + 1);
  }
  const devices = new Int32Array(end).fill(-1);
  for (let device = 0; device < rows.length; device++) if (rows[device]! >= 0) devices[rows[device]!] = device;
  return { rows, deviceOf: (row: number) => devices[row] ?? -1 };
}

/** The replay of the devices that the map's filter leaves. */
function useFilteredReplay(columns: ReplayColumns | undefined, shown: Uint32Array, fleet: FleetIndex) {
  const matched = useMemo(() => columns && matchRows(fleet, columns), [columns, fleet]);
  const places = useMemo(() => matched && placesOf(fleet, matched.rows), [matched, fleet]);
  return useMemo(() => {
    if (!columns || !matched || !places) return undefined;
    const isShown = new Uint8Array(columns.ids.length);
    for (const row of shown) {
      const device = matched.deviceOf(row);
      if (device >= 0) isShown[device] = 1;
    }
    const replay = new FleetReplay(columns, { isShown, ...places });
    /** The rows of a place's devices that are shown. */
    const rowsIn = (place: number) =>
      matched.rows.filter((_, device) => isShown[device] === 1 && places.placeOf[device] === place);
    return {
      replay,
      isShown,
      deviceOf: matched.deviceOf,
      nameOf: places.nameOf,
      rowsIn,
    };
  }, [columns, matched, places, shown]);
}

/** The curve comes a moment after the map, since it takes longer. */
function useCurve(filtered: Filtered | undefined): ReplayCurve | undefined {
  const [curve, setCurve] = useState<ReplayCurve>();
  useEffect(() => {
    if (!filtered) return;
    let isOutdated = false;
    const { replay, isShown } = filtered;
    void nextTask()
      .then(() => runChunked(curveSteps(replay.columns, isShown, POINTS)))
      .then((made) => isOutdated || setCurve(made));
    return () => {
      isOutdated = true;
    };
  }, [filtered]);
  return filtered && curve?.x[0] === filtered.replay.columns.from ? curve : undefined;
}

export type Filtered = NonNullable<ReturnType<typeof useFilteredReplay>>;

function pastOf({ replay, deviceOf }: Filtered, live: ClusterIndex, player: ReplayPlayer): ShownPast {
  const kinds = live.kinds.slice();
  const devices = new Int32Array(live.size);
  for (let point = 0; point < live.size; point++) devices[point] = deviceOf(live.rows[point]!);
  replay.write(kinds, devices);
  return {
    clusters: live.withKinds(kinds),
    subscribe: (listener) =>
      player.changes.subscribe(() => {
        replay.write(kinds, devices);
        listener();
      }),
    glance: player.glance,
    stateOf: (row) => WORDS[replay.stateOf(deviceOf(row))] ?? WORDS[STATES.absent]!,
    hasGaps: replay.columns.gaps.length > 0,
  };
}

/** The fastest at which a short history plays for long enough to watch it. */
const speedFor = ({ from, to }: ReplaySpan): Speed =>
  SPEEDS.findLast((speed) => (to - from) / speed >= SHORTEST_MS) ?? SPEEDS[0];

function openingOf(length: ReplayLength, time: string | undefined) {
  const asked = time === undefined ? Number.NaN : Date.parse(time);
  const at = Number.isNaN(asked) ? undefined : asked;
  const now = Date.now();
  const span = spanAround(at, LENGTHS[length], now);
  return {
    length,
    span,
    player: new ReplayPlayer(span, at ?? span.from),
    hasMoment: at !== undefined,
    isLast: span.to === now,
  };
}

/** The moment in the URL counts when the replay is opened, and with each length. */
export function useReplay({ fleet, shown, live, url, setPast }: FleetMapModel, length: ReplayLength) {
  // Rows are the same in later versions of the fleet, and devices that are added later are not in the past.
  const [first] = useState(fleet);
  const [opening, setOpening] = useState(() => openingOf(length, url.time));
  if (opening.length !== length) setOpening(openingOf(length, url.time));
  const { player, hasMoment, isLast, span } = opening;
  const reading = useQuery(replayQuery(span));
  const filtered = useFilteredReplay(reading.data, shown.rows, first);
  const curve = useCurve(filtered);
  const isReady = filtered !== undefined;

  useEffect(() => {
    if (filtered) player.show(filtered.replay);
  }, [filtered, player]);
  useEffect(() => {
    if (filtered && live) setPast(pastOf(filtered, live, player));
  }, [filtered, live, player, setPast]);
  useEffect(() => () => setPast(undefined), [setPast]);
  useEffect(() => {
    if (isReady && !hasMoment && !matchMedia('(prefers-reduced-motion: reduce)').matches) player.play();
  }, [isReady, hasMoment, player]);

  useFrames(player, url.speed);
  const { at, isPlaying } = useStore(player.glance);
  useEffect(() => {
    if (isPlaying || !isReady) return;
    const timer = setTimeout(() => writeMoment(at), REST);
    return () => clearTimeout(timer);
  }, [at, isPlaying, isReady]);
  const known = filtered?.replay.columns;
  const step = stepOf(known ?? player.span, POINTS);
  /** When the first device was created, if that is later than what was asked for. */
  const since = known && known.from - span.from >= 60_000 ? known.from : undefined;
  const slowDown = useEffectEvent(() => {
    if (known && since !== undefined) url.set({ speed: speedFor(known) });
  });
  useEffect(() => slowDown(), [since]);
  return { player, isLast, reading, filtered, curve, step, since };
}

function useFrames(player: ReplayPlayer, speed: number) {
  const isPlaying = useStore({ get: () => player.moment.get().isPlaying, subscribe: player.moment.subscribe });
  useEffect(() => {
    if (!isPlaying) return;
    let last: number | undefined;
    const frame = (now: number) => {
      // A page that was hidden goes on where it was.
      if (last !== undefined) player.advance(Math.min(now - last, REST), speed);
      last = now;
      next = requestAnimationFrame(frame);
    };
    let next = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(next);
  }, [player, isPlaying, speed]);
}
