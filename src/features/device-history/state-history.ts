// Which devices went and came back, and when: the API has no such history, so this browser collects it from the
// readings of the fleet that pages make anyway. It knows when nobody was looking, and claims nothing about that time
// beyond what the service reported.
import type { Away, StatesChanged, StatesRead } from '#/fleet/states-read.ts';
import type { Format } from '#/lib/stored.ts';

export interface StateChange {
  id: string;
  to: string;
  /** When the service last saw it, or else the reading that showed it first. */
  at: number;
  /** The earliest that it can have been: the same as `at` where that is reported. */
  since: number;
  /** It connected for the first time: that is no return. */
  first?: true;
}

interface AwayNow {
  state: string;
  at: number | undefined;
  /** The service has not seen it yet. */
  never?: true;
}

export interface StateHistory {
  /** When this browser was looking, oldest first. */
  watched: readonly (readonly [from: number, to: number])[];
  /** Oldest first. */
  changes: readonly StateChange[];
  /** Who was not Online at the latest reading, and since when as far as that is known; undefined: nobody knows. */
  away: ReadonlyMap<string, AwayNow> | undefined;
}

export const NO_HISTORY: StateHistory = { watched: [], changes: [], away: undefined };

const HOUR = 3_600_000;
/** How far back it goes, and at most how much of it is stored. */
const LONGEST_AGE = 8 * 24 * HOUR;
const MOST_CHANGES = 3_000;
const MOST_STRETCHES = 300;
const MOST_AWAY = 3_000;
/** Readings that are late by so much left a gap. */
const LATE = 2.5;

/** What is known before a look at this time, and whether nobody looked for a while. */
function beforeLook(history: StateHistory, at: number, every: number) {
  // After the clock was set back, entries of the future are dropped.
  const watched = history.watched.filter(([from]) => from < at).map(([from, to]) => [from, Math.min(to, at)] as const);
  const changes = history.changes.filter((change) => change.at <= at);
  const before = watched.at(-1);
  const isNew = before === undefined || at - before[1] > LATE * every;
  return {
    before,
    changes,
    isNew,
    watched: before && !isNew ? [...watched.slice(0, -1), [before[0], at] as const] : [...watched, [at, at] as const],
  };
}

const neverOf = (seen: number | undefined) => (Number.isNaN(seen) ? { never: true as const } : undefined);
const firstOf = (known: AwayNow | undefined) => (known?.never ? { first: true as const } : undefined);

/** With what the service reported as it happened. */
export function withChanges(history: StateHistory, { at, every, states }: StatesChanged): StateHistory {
  const { before, changes, isNew, watched } = beforeLook(history, at, every);
  if (!history.away || !before) return { ...history, watched };
  if (states.length === 0) return bounded({ ...history, changes, watched });
  const away = new Map(history.away);
  const found: StateChange[] = [];
  for (const { id, state, seen, was } of states) {
    const since = isNew ? before[1] : at;
    const reported = seen === undefined || Number.isNaN(seen) ? undefined : Math.min(seen, at);
    // A device that never was there is new.
    const isNews = was !== undefined && (state === 'Online' || seen === undefined || reported !== undefined);
    const time = state === 'Online' ? at : (reported ?? at);
    if (isNews)
      found.push({
        id,
        to: state,
        at: time,
        since: state !== 'Online' && time === reported ? time : since,
        ...(state === 'Online' && firstOf(away.get(id))),
      });
    if (state === 'Online') away.delete(id);
    else away.set(id, { state, at: was === undefined ? reported : time, ...neverOf(seen) });
  }
  return bounded({ watched, changes: [...changes, ...found].sort((one, two) => one.at - two.at), away });
}

export function withReading(history: StateHistory, reading: StatesRead): StateHistory {
  const { at } = reading;
  const { before, changes, watched } = beforeLook(history, at, reading.every);
  const found = before && history.away ? changesOf(history.away, reading, before[1]) : [];
  const changed = new Map(found.map((change) => [change.id, change.at]));
  const away = new Map(
    Array.from(reading.away, ([id, { state, seen }]) => {
      const known = history.away?.get(id);
      const reported = seen === undefined || Number.isNaN(seen) ? undefined : Math.min(seen, at);
      return [
        id,
        { state, at: changed.get(id) ?? (known?.state === state ? known.at : undefined) ?? reported, ...neverOf(seen) },
      ];
    }),
  );
  return bounded({
    watched,
    changes: found.length > 0 ? [...changes, ...found].sort((one, two) => one.at - two.at) : changes,
    away,
  });
}

/** With one device as a page of its own has read it; `since`: the look before that one. */
export function withDevice(
  history: StateHistory,
  { id, state, seen, at, since }: Away & { id: string; at: number; since: number | undefined },
): StateHistory {
  const last = history.watched.at(-1)?.[1];
  const before = Math.max(since ?? 0, last ?? 0);
  if (!history.away || before === 0) return history;
  const reading: StatesRead = {
    at,
    every: 0,
    away: new Map(state === 'Online' ? [] : [[id, { state, seen }]]),
    has: (other) => other === id,
    had: (other) => other === id && since !== undefined,
  };
  const known = history.away.get(id);
  const found = changesOf(new Map(known ? [[id, known]] : []), reading, before);
  if (found.length === 0) return history;
  const away = new Map(history.away);
  for (const change of found)
    if (change.to === 'Online') away.delete(id);
    else away.set(id, { state: change.to, at: change.at });
  return { ...history, away, changes: [...history.changes, ...found].sort((one, two) => one.at - two.at) };
}

function changesOf(before: NonNullable<StateHistory['away']>, reading: StatesRead, last: number): StateChange[] {
  const { at, away, has, had } = reading;
  const found: StateChange[] = [];
  for (const [id, { state, seen }] of away) {
    const known = before.get(id);
    if (known?.state === state) continue;
    if (known) {
      found.push({ id, to: state, at, since: last });
      continue;
    }
    // It was never there: it is new. Without a reported time, only a device that was there a moment ago can have gone.
    if (seen === undefined ? !had(id) : Number.isNaN(seen)) continue;
    // Gone long before it was last seen Online here: what was seen then was wrong, or is now.
    if (seen !== undefined && seen < last - HOUR) continue;
    const reported = seen === undefined ? undefined : Math.min(seen, at);
    found.push({ id, to: state, at: reported ?? at, since: reported ?? last });
  }
  for (const [id, known] of before)
    if (!away.has(id) && has(id)) found.push({ id, to: 'Online', at, since: last, ...firstOf(known) });
  return found;
}

function bounded({ watched, changes, away }: StateHistory): StateHistory {
  const oldest = (watched.at(-1)?.[1] ?? 0) - LONGEST_AGE;
  const recent = changes.filter((change) => change.at >= oldest).slice(-MOST_CHANGES);
  // What was before a change that is not stored counts as unseen.
  const begin = recent.length < changes.length ? Math.max(oldest, recent[0]?.at ?? oldest) : oldest;
  const stretches = watched.flatMap(([from, to]) => (to < begin ? [] : [[Math.max(from, begin), to] as const]));
  return { watched: stretches.slice(-MOST_STRETCHES), changes: recent, away };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const rowsOf = (value: unknown): unknown[][] =>
  Array.isArray(value) ? value.filter((row): row is unknown[] => Array.isArray(row)) : [];

/** Apart from `watched`, which is short, and the only part that every reading changes. */
export const statesFormat: Format<Pick<StateHistory, 'changes' | 'away'>> = {
  read: (text) => {
    const { changes, away } = (JSON.parse(text) ?? {}) as { changes?: unknown; away?: unknown };
    return {
      changes: rowsOf(changes).flatMap(([id, to, at, since, first]) =>
        typeof id === 'string' && typeof to === 'string' && isTime(at) && isTime(since)
          ? [{ id, to, at, since, ...(first === 1 && { first: true as const }) }]
          : [],
      ),
      away: Array.isArray(away)
        ? new Map(
            rowsOf(away).flatMap(([id, state, at, never]) =>
              typeof id === 'string' && typeof state === 'string'
                ? [
                    [
                      id,
                      { state, at: isTime(at) ? at : undefined, ...(never === 1 && { never: true as const }) },
                    ] as const,
                  ]
                : [],
            ),
          )
        : undefined,
    };
  },
  // Very many that are away are not stored.
  print: ({ changes, away }) => {
    const rows =
      away && away.size <= MOST_AWAY
        ? Array.from(away, ([id, { state, at, never }]) => [id, state, at ?? null, ...(never ? [1] : [])])
        : null;
    return JSON.stringify({
      changes: changes.map(({ id, to, at, since, first }) => [id, to, at, since, ...(first ? [1] : [])]),
      away: rows,
    });
  },
};

export const watchedFormat: Format<StateHistory['watched']> = {
  read: (text) =>
    rowsOf(JSON.parse(text)).flatMap(([from, to]) => (isTime(from) && isTime(to) ? [[from, to] as const] : [])),
  print: (watched) => JSON.stringify(watched),
};
