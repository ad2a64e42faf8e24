// The bar below the map that replays the past: the curve of Online as the scrubber, and which site went down first.
import { useEffect, useMemo, useRef, useState } from 'react';
import { NativeSelect } from '@mantine/core';
import {
  IconBell,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
  IconRocket,
  IconX,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { alertQueries } from '#/api/alerts.ts';
import { useCapabilities } from '#/api/capabilities.ts';
import { deployMarks } from '#/features/deploy-marks/deploy-marks.ts';
import { useDeploys } from '#/features/deploy-marks/use-deploys.ts';
import { formatClock, formatClockSeconds, formatCount, formatTime } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Chart, type ChartMark } from '#/ui/chart/chart.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { useIsPhone } from '#/ui/controls/use-is-phone.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import { Failure } from '#/ui/page/view.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import type { DownPlace, FleetReplay, ReplayCurve } from './replay-data.ts';
import type { ReplayPlayer } from './replay-player.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import { SPEEDS, type Speed } from './use-map-url.ts';
import { useReplay, type Filtered, type ReplayLength } from './use-replay.ts';
import classes from './replay-bar.module.css';

const SPANS = [
  { value: '24h', label: '24\u00a0h', words: '24 hours' },
  { value: '7d', label: '7\u00a0d', words: '7 days' },
] as const;
const SHORTCUTS: readonly Shortcut[] = [
  [['Space'], 'Play or pause'],
  [['←', '→'], 'Back or forward in time'],
  [['p'], 'Previous event'],
  [['n'], 'Next event'],
];
const CHART_HEIGHT = 120;
/** Places that are listed. */
const MOST_PLACES = 6;
/** Milliseconds until the moment is announced, so that a held key does not announce each one. */
const SETTLED = 600;

export function ReplayBar({ model }: { model: FleetMapModel }) {
  const { replay } = model.url;
  return replay && <OpenReplay model={model} length={replay} />;
}

interface OpenReplayProps {
  model: FleetMapModel;
  length: ReplayLength;
}

function OpenReplay({ model, length }: OpenReplayProps) {
  const { url, change } = model;
  const { player, isLast, reading, filtered, curve, step, since } = useReplay(model, length);
  const { zone } = useLook();
  const box = useRef<HTMLElement>(null);
  const span = SPANS.find(({ value }) => value === length) ?? SPANS[0];
  const words = isLast
    ? `the last ${span.words}`
    : `${span.words} until ${formatClock(new Date(player.span.to), zone)}`;
  const close = () => {
    change({ replayFocus: 'open' });
    url.set({ replay: undefined, time: undefined, speed: SPEEDS[3] });
  };
  const move = (steps: number) => {
    player.seek(player.moment.get().at + steps * step);
  };
  useShortcuts('Replay', SHORTCUTS);
  useKeyDown((event) => {
    const { key, target, defaultPrevented, ctrlKey, metaKey, altKey } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey) return;
    if (key === 'Escape' && target instanceof Element && box.current?.contains(target)) close();
    else if (!filtered || !isFree(target, key)) return;
    else if (key === ' ') player.toggle();
    else if (key === 'ArrowLeft' || key === 'ArrowRight') move(key === 'ArrowLeft' ? -1 : 1);
    else if (key === 'p' || key === 'n') player.skip(key === 'p' ? -1 : 1);
    else return;
    event.preventDefault();
  });
  return (
    <section ref={box} className={classes.bar} aria-label={`Replay of ${words}`} aria-busy={!filtered}>
      <div className={classes.controls}>
        <div className={classes.buttons}>
          <SkipButton player={player} filtered={filtered} step={-1} />
          <PlayButton player={player} off={!filtered} hasFocus={model.state.replayFocus === 'bar'} />
          <SkipButton player={player} filtered={filtered} step={1} />
        </div>
        <Now player={player} filtered={filtered} words={words} since={since} />
        <div className={classes.choices}>
          <SegmentedControl
            size="xs"
            aria-label="Span of the replay"
            data={SPANS}
            value={length}
            onChange={(value) => url.set({ replay: value, time: new Date(player.moment.get().at).toISOString() })}
          />
          <NativeSelect
            size="xs"
            aria-label="Speed"
            className={classes.speed}
            value={String(url.speed)}
            data={SPEEDS.map((speed) => ({ value: String(speed), label: `${formatCount(speed)}×` }))}
            onChange={({ currentTarget }) => url.set({ speed: Number(currentTarget.value) as Speed })}
          />
        </div>
        <IconButton icon={IconX} iconSize={18} size={32} label="Close the replay" onClick={close} />
      </div>
      {reading.error && !filtered ? (
        <div className={classes.failure}>
          <Failure what="the past" error={reading.error} busy={reading.isFetching} onRetry={reading.refetch} />
        </div>
      ) : (
        <div className={classes.body}>
          <div>
            {filtered && curve && <Scrubber player={player} replay={filtered.replay} curve={curve} words={words} />}
          </div>
          <WentFirst model={model} player={player} filtered={filtered} />
        </div>
      )}
    </section>
  );
}

/** Whether a key is free where the focus is: buttons take the space, fields and the map take the arrows. */
function isFree(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [role=dialog], [role=menu], [contenteditable]')) return false;
  return key === ' ' ? !target.closest('button, a, summary') : !target.closest('.leaflet-container');
}

function PlayButton({ player, off, hasFocus }: { player: ReplayPlayer; off: boolean; hasFocus: boolean }) {
  const { isPlaying } = useStore(player.glance);
  return (
    <IconButton
      ref={hasFocus ? focusOnMount : undefined}
      variant="filled"
      icon={isPlaying ? IconPlayerPauseFilled : IconPlayerPlayFilled}
      size={36}
      label={isPlaying ? 'Pause' : 'Play'}
      off={off}
      onClick={() => player.toggle()}
    />
  );
}

interface SkipButtonProps {
  player: ReplayPlayer;
  filtered: Filtered | undefined;
  step: 1 | -1;
}

/** To a moment at which something changes: in between a replay may show nothing for hours. */
function SkipButton({ player, filtered, step }: SkipButtonProps) {
  useStore(player.glance);
  const isNone = filtered?.replay.eventBeside(step) === undefined;
  const label = step > 0 ? 'Next event' : 'Previous event';
  return (
    <IconButton
      icon={step > 0 ? IconPlayerSkipForward : IconPlayerSkipBack}
      iconSize={18}
      size={32}
      label={label}
      title={isNone ? `${label}: there is none` : `${label} (${step > 0 ? 'N' : 'P'})`}
      aria-keyshortcuts={step > 0 ? 'n' : 'p'}
      off={isNone}
      onClick={() => player.skip(step)}
    />
  );
}

interface NowProps {
  player: ReplayPlayer;
  filtered: Filtered | undefined;
  words: string;
  /** When the history begins. */
  since: number | undefined;
}

function Now({ player, filtered, words, since }: NowProps) {
  const { zone } = useLook();
  const { at, isPlaying } = useStore(player.glance);
  const time = new Date(at);
  const counts = filtered?.replay.counts;
  const text = counts && countsText(counts);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (isPlaying || text === undefined) return;
    // The scrubber says its own value.
    if (document.activeElement?.getAttribute('role') === 'slider') return;
    const timer = setTimeout(() => setSaid(`${formatTime(new Date(at), zone)}: ${text}`), SETTLED);
    return () => clearTimeout(timer);
  }, [at, isPlaying, text, zone]);
  return (
    <div className={classes.now}>
      <time className={classes.time} dateTime={time.toISOString()} title={formatTime(time, zone)}>
        {formatClock(time, zone)}
      </time>
      {counts ? (
        <span className={classes.counts}>
          {counts.unknown > 0 ? (
            <StateMark state="Unknown" label={`${formatCount(counts.unknown)} Unknown: the service was down`} />
          ) : (
            <>
              <StateMark state="Online" label={`${formatCount(counts.online)} Online`} />
              <StateMark state="Offline" label={`${formatCount(counts.offline)} Offline`} />
            </>
          )}
        </span>
      ) : (
        <span className="dim">Loading {words}…</span>
      )}
      {since !== undefined && <span className="dim small">Known since {formatClock(new Date(since), zone)}.</span>}
      <Status className="visually-hidden">{said}</Status>
    </div>
  );
}

const countsText = ({ online, offline, unknown }: Filtered['replay']['counts']): string =>
  unknown > 0
    ? `${formatCount(unknown)} Unknown, the service was down`
    : `${formatCount(online)} Online, ${formatCount(offline)} Offline`;

interface ScrubberProps {
  player: ReplayPlayer;
  replay: FleetReplay;
  curve: ReplayCurve;
  words: string;
}

function Scrubber({ player, replay, curve, words }: ScrubberProps) {
  const { zone } = useLook();
  const { at } = useStore(player.moment);
  const { at: readAt } = useStore(player.glance);
  const valueText = `${formatClock(new Date(readAt), zone)}: ${countsText(replay.counts)}`;
  const { gaps, from, to } = replay.columns;
  const marks = useMarks(from, to);
  const series = useMemo(
    () => [
      { label: 'Online', color: 'online' as const, values: curve.online },
      { label: 'Offline', color: 'offline' as const, values: curve.offline },
    ],
    [curve],
  );
  const formatX = useMemo(() => (x: number) => formatClock(new Date(x), zone), [zone]);
  const range = useMemo(() => {
    const known = curve.online.filter((count) => count !== null);
    if (known.length === 0) return 'unknown';
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return least === most ? formatCount(most) : `between ${formatCount(least)} and ${formatCount(most)}`;
  }, [curve]);
  return (
    <Chart
      label={`Moment of ${words}. Devices Online: ${range}`}
      x={curve.x}
      step={curve.step}
      series={series}
      shape="area"
      height={CHART_HEIGHT}
      formatX={formatX}
      formatY={formatCount}
      unknown={gaps}
      marks={marks}
      at={at}
      valueText={valueText}
      onMove={(moment) => player.seek(moment)}
    />
  );
}

/** Deploys above the curve and alerts below it: one often follows the other. */
function useMarks(from: number, to: number): ChartMark[] {
  const capabilities = useCapabilities();
  const deploys = useDeploys(capabilities.includes('rollouts'));
  const isPhone = useIsPhone();
  const hasAlerts = capabilities.includes('alerts');
  const firing = useQuery({ ...alertQueries.firing(), enabled: hasAlerts }).data;
  const sent = useInfiniteQuery({ ...alertQueries.deliveries(), enabled: hasAlerts }).data;
  return useMemo(() => {
    const alerts = new Map<string, { at: number; name: string; to: string }>();
    const add = (time: string, name: string) => {
      const at = Date.parse(time);
      // One alert goes to several channels.
      alerts.set(`${Math.floor(at / 60_000)} ${name}`, { at, name, to: paths.alerts() });
    };
    for (const { Since, Rule } of firing ?? []) add(Since, Rule);
    for (const { Time, Rule, Event } of sent ?? []) if (Event !== 'Test') add(Time, Rule);
    const span = { from, to };
    const bells = deployMarks([...alerts.values()], span, {
      all: paths.alerts(),
      Icon: IconBell,
      isPhone,
      what: ALERTS,
    });
    return [
      ...deployMarks(deploys, span, { all: paths.jobs(), Icon: IconRocket, isPhone }),
      ...bells.map((mark) => ({ ...mark, isLow: true })),
    ];
  }, [deploys, firing, sent, from, to, isPhone]);
}
const ALERTS = { one: 'Alert', many: 'alerts' };

interface WentFirstProps {
  model: FleetMapModel;
  player: ReplayPlayer;
  filtered: Filtered | undefined;
}

/** The sites and groups that are down at the moment, in the order in which they went down. */
function WentFirst({ model, player, filtered }: WentFirstProps) {
  useStore(player.glance);
  const { first, count } = filtered?.replay.downPlaces(MOST_PLACES) ?? { first: [], count: 0 };
  const isUnknown = filtered?.replay.isUnknown ?? false;
  return (
    <div className={classes.first}>
      <h2 className={classes.heading}>Went first</h2>
      {filtered && (isUnknown || count === 0) && (
        <p className="dim small">{isUnknown ? 'Nothing is known of this time.' : 'No site or group is down.'}</p>
      )}
      {filtered && !isUnknown && count > 0 && (
        <ol aria-label="Sites and groups that are down, the first one first">
          {first.map((down) => (
            <Place key={down.place} model={model} player={player} filtered={filtered} down={down} />
          ))}
          {count > first.length && <li className="dim small">and {formatCount(count - first.length)} more</li>}
        </ol>
      )}
    </div>
  );
}

function Place({ model, player, filtered, down }: WentFirstProps & { filtered: Filtered; down: DownPlace }) {
  const { zone } = useLook();
  const { place, since, offline, devices } = down;
  const name = filtered.nameOf(place);
  const isLong = player.span.to - player.span.from > 24 * 3_600_000;
  const began = since === undefined ? undefined : new Date(since);
  const time = began && (isLong ? formatClock(began, zone) : formatClockSeconds(began, zone));
  const show = () => {
    const rows = filtered.rowsIn(place).filter((row) => model.places.kind[row] === 1);
    if (rows.length > 0) model.fit(rows);
    model.change({ message: rows.length > 0 ? '' : `No device of ${name} has a location.` });
  };
  return (
    <li>
      <button type="button" className={classes.place} onClick={show} title="Show on the map">
        <span className={classes.since}>{time ?? 'before'}</span>
        <bdi className={classes.name}>{name}</bdi>
        <span className={classes.share}>
          {formatCount(offline)} of {formatCount(devices)}
          <span className="visually-hidden"> Offline</span>
        </span>
      </button>
    </li>
  );
}
