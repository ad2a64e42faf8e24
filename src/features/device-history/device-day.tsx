// The last 24 hours of one device as this browser saw them, with the times in which it was not looking, and what changed.
import { useEffect, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { formatClock, formatCount, formatDuration } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { Section } from '#/ui/page/page.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { noteDevice, useStateHistory } from './state-recorder.ts';
import { deviceStretches } from './state-stretches.ts';
import { StateStrip } from './state-strip.tsx';
import classes from './device-day.module.css';

const DAY = 86_400_000;
/** Two looks that are further apart left a gap. */
const LATE = 30_000;
/** A shorter time without data is not worth a sentence. */
const GAP = 300_000;
/** Of a shorter time a share says nothing. */
const ENOUGH = 10_000;
/** Changes that are listed. */
const SHOWN = 5;

type Looked = readonly (readonly [from: number, to: number])[];

/** When this device was looked at, on its own page; until the page is loaded again. */
const lookedAt = new Map<string, Looked>();

const withLook = (looked: Looked, at: number): Looked => {
  const last = looked.at(-1);
  return last && at - last[1] <= LATE ? [...looked.slice(0, -1), [last[0], at]] : [...looked, [at, at]];
};

const timeOf = (text: string | undefined) => (text ? parseTimestamp(text)?.getTime() : undefined) ?? Number.NaN;

/** Stores what this page reads of the device, and returns when it did. */
function useLooked(device: Device): Looked {
  const { DeviceId: id, DeviceStatus: state, LastSeenTime } = device;
  const at = useQuery(deviceQueries.one(id)).dataUpdatedAt;
  const [looked, setLooked] = useState(() => lookedAt.get(id) ?? []);
  if (at > (looked.at(-1)?.[1] ?? 0)) setLooked(withLook(looked, at));
  useEffect(() => {
    const before = lookedAt.get(id)?.at(-1)?.[1];
    if (looked.length > 0) lookedAt.set(id, looked);
    const seen = LastSeenTime === undefined ? undefined : timeOf(LastSeenTime);
    if (at > 0) noteDevice({ id, state, seen, at, since: before });
  }, [id, state, LastSeenTime, at, looked]);
  return looked;
}

export function DeviceDay({ device }: { device: Device }) {
  const history = useStateHistory();
  const looked = useLooked(device);
  const now = useNow().getTime();
  const { zone } = useLook();
  const { DeviceId: id, DeviceStatus: state, LastSeenTime, CreatedTime } = device;
  const stretches = useMemo(() => {
    const end = Math.max(now, looked.at(-1)?.[1] ?? now);
    const last = looked.at(-1);
    // The latest look still holds.
    const until: Looked = last && end - last[1] < LATE ? [...looked, [last[1], end]] : looked;
    return deviceStretches(
      history,
      { id, state, seen: timeOf(LastSeenTime), created: timeOf(CreatedTime) },
      { from: end - DAY, now: end, looked: until },
    );
  }, [history, looked, now, id, state, LastSeenTime, CreatedTime]);
  const changes = useMemo(
    () => history.changes.filter((change) => change.id === id && change.at > now - DAY).toReversed(),
    [history, id, now],
  );
  const length = (of: (value: string) => boolean) =>
    stretches.reduce((sum, { from, to, value }) => sum + (value !== undefined && of(value) ? to - from : 0), 0);
  const known = length(() => true);
  const online = length((value) => value === 'Online');
  const text =
    known < ENOUGH
      ? `${state || 'Unknown'} now`
      : `Online for ${formatDuration(online, 'rough')} of the ${formatDuration(known, 'rough')} observed`;
  // Before it was there nobody could have looked.
  const created = timeOf(CreatedTime);
  const gap = stretches
    .map(({ value, from, to }) => ({ value, to, from: created > from ? created : from }))
    .find(({ value, from, to }) => value === undefined && to - from > GAP);
  const clock = (at: number) => formatClock(new Date(at), zone);
  return (
    <Section title="Last 24 hours">
      <StateStrip
        label={text}
        stretches={stretches.map(({ from, to, value }) => ({
          from,
          to,
          share: value === undefined ? undefined : value === 'Online' ? 1 : 0.25,
        }))}
      />
      <p className={classes.note}>
        {text}.{' '}
        {gap &&
          `No data between ${clock(gap.from)} and ${clock(gap.to)}: no page was open, and the service stores no history.`}
      </p>
      {changes.length > 0 && (
        <ul className={classes.changes} aria-label="State changes">
          {changes.slice(0, SHOWN).map(({ to, at, since }) => (
            <li key={`${to} ${at}`}>
              <StateMark state={to} />
              <span className="dim">
                {at - since > 5 * 60_000 ? `between ${clock(since)} and ${clock(at)}` : <Time at={new Date(at)} />}
              </span>
            </li>
          ))}
          {changes.length > SHOWN && <li className="dim">and {formatCount(changes.length - SHOWN)} more</li>}
        </ul>
      )}
    </Section>
  );
}
