// The fleet's past as columns, and a replay that goes through it: changes are applied one after the other, and a jump back
// starts from a checkpoint. It imports nothing, so that the worker loads it alone.

/** The states of a device, by their numbers in the lowest two bits of a kind (map-fleet.ts). */
export const STATES = { online: 0, offline: 1, unknown: 2, absent: 3 } as const;

/** The answer of the service (contract/history.ts). */
export interface ReplayAnswer {
  From: string;
  Devices: string[];
  States: string;
  Changes: { Seconds: number[]; Device: number[]; State: string };
  Gaps: { From: string; To: string }[];
}

export interface ReplaySpan {
  from: number;
  to: number;
}

export interface ReplayColumns extends ReplaySpan {
  ids: string[];
  /** By device, at the beginning. */
  initial: Uint8Array;
  /** By change, in order of time. */
  seconds: Uint32Array;
  device: Uint32Array;
  state: Uint8Array;
  /** When the service was down, in order, without overlaps. */
  gaps: ReplaySpan[];
}

const ONLINE_LETTER = 'O'.charCodeAt(0);
const OFFLINE_LETTER = 'F'.charCodeAt(0);
const stateOf = (letter: number): number =>
  letter === ONLINE_LETTER ? STATES.online : letter === OFFLINE_LETTER ? STATES.offline : STATES.absent;

function readStates(letters: string): Uint8Array {
  const states = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) states[i] = stateOf(letters.charCodeAt(i));
  return states;
}

/** Begins where the history does, when the first device was created. Throws if the columns do not belong together. */
export function readReplay(text: string, to: number): ReplayColumns {
  const { From, Devices, States, Changes, Gaps } = JSON.parse(text) as ReplayAnswer;
  const { length } = Changes.Seconds;
  const from = Date.parse(From);
  if (Number.isNaN(from) || States.length !== Devices.length)
    throw new TypeError('The devices do not fit their states');
  if (Changes.Device.length !== length || Changes.State.length !== length)
    throw new TypeError('The columns of the changes differ in length');
  const device = Uint32Array.from(Changes.Device);
  for (const each of device) if (each >= Devices.length) throw new TypeError('A change has no device');
  const initial = readStates(States);
  const unborn = initial.every((state) => state === STATES.absent) ? (Changes.Seconds[0] ?? 0) : 0;
  const begin = from + unborn * 1000;
  return {
    from: begin,
    to,
    ids: Devices,
    initial,
    seconds: Uint32Array.from(Changes.Seconds, (second) => second - unborn),
    device,
    state: readStates(Changes.State),
    gaps: Gaps.map((gap) => ({ from: Math.max(begin, Date.parse(gap.From)), to: Date.parse(gap.To) })).filter(
      (gap) => gap.from < gap.to,
    ),
  };
}

const isInGap = (gaps: readonly ReplaySpan[], at: number): boolean =>
  gaps.some(({ from, to }) => from <= at && at < to);

/** How many devices were in a state when each step began; null during a gap. */
export interface ReplayCurve {
  x: number[];
  step: number;
  online: (number | null)[];
  offline: (number | null)[];
}

/** Milliseconds between two points of a curve of so many. */
export const stepOf = ({ from, to }: ReplaySpan, points: number): number =>
  Math.max(1, Math.ceil((to - from) / points / 1000)) * 1000;

/** `isShown`: 1 for each device that counts. A point is a step of the work. */
export function* curveSteps(columns: ReplayColumns, isShown: Uint8Array, points: number): Generator<void, ReplayCurve> {
  const { from, to, initial, seconds, device, state, gaps } = columns;
  const step = stepOf(columns, points);
  const states = initial.slice();
  const counts = countStates(states, isShown);
  const curve: ReplayCurve = { x: [], step, online: [], offline: [] };
  let next = 0;
  for (let at = from; at < to; at += step) {
    const until = (at - from) / 1000;
    for (; next < seconds.length && seconds[next]! <= until; next++) {
      const changed = device[next]!;
      if (isShown[changed] === 0) continue;
      counts[states[changed]! as State]--;
      counts[(states[changed] = state[next]!) as State]++;
    }
    const isKnown = !isInGap(gaps, at);
    curve.x.push(at);
    curve.online.push(isKnown ? counts[STATES.online] : null);
    curve.offline.push(isKnown ? counts[STATES.offline] : null);
    yield;
  }
  return curve;
}

type State = 0 | 1 | 2 | 3;
type StateCounts = [online: number, offline: number, unknown: number, absent: number];

function countStates(states: Uint8Array, isShown: Uint8Array): StateCounts {
  const counts: StateCounts = [0, 0, 0, 0];
  for (let device = 0; device < states.length; device++) if (isShown[device] !== 0) counts[states[device]! as State]++;
  return counts;
}

/** A site or group that is down: at least half of its devices are Offline. */
export interface DownPlace {
  /** Its number. */
  place: number;
  /** When it went down, in milliseconds; undefined if it was down when the replay began. */
  since: number | undefined;
  offline: number;
  devices: number;
}

/** Which devices count, and where they are. */
export interface ReplayFleet {
  /** 1 for each device that counts. */
  isShown: Uint8Array;
  /** By device: the number of its place, below `places`; -1 for none. */
  placeOf: Int32Array;
  places: number;
}

/** What is kept by device and by place; a checkpoint is a copy of it. */
interface Kept {
  /** How many changes are applied. */
  position: number;
  states: Uint8Array;
  counts: StateCounts;
  /** By place: its Offline devices, all of them, and the second in which it went down plus one; 0 while it is up. */
  offline: Uint32Array;
  devices: Uint32Array;
  down: Uint32Array;
}

const copyOf = (kept: Kept): Kept => ({
  position: kept.position,
  states: kept.states.slice(),
  counts: [...kept.counts],
  offline: kept.offline.slice(),
  devices: kept.devices.slice(),
  down: kept.down.slice(),
});

/** Changes between two checkpoints. */
const CHECKPOINT = 1 << 16;
/** Down since before the replay began. */
const BEFORE = 0xffffffff;
const isDown = (offline: number, devices: number): boolean => offline > 0 && 2 * offline >= devices;

export class FleetReplay {
  readonly columns: ReplayColumns;
  private readonly fleet: ReplayFleet;
  private readonly every: number;
  private kept: Kept;
  private readonly checkpoints: Kept[];
  private at: number;

  constructor(columns: ReplayColumns, fleet: ReplayFleet, every = CHECKPOINT) {
    const { isShown, placeOf, places } = fleet;
    this.columns = columns;
    this.fleet = fleet;
    this.every = every;
    this.at = columns.from;
    const states = columns.initial.slice();
    const [offline, devices] = [new Uint32Array(places), new Uint32Array(places)];
    for (let device = 0; device < states.length; device++) {
      const place = isShown[device] === 0 ? -1 : placeOf[device]!;
      if (place < 0 || states[device] === STATES.absent) continue;
      devices[place]!++;
      if (states[device] === STATES.offline) offline[place]!++;
    }
    const down = new Uint32Array(places);
    for (let place = 0; place < places; place++) down[place] = isDown(offline[place]!, devices[place]!) ? BEFORE : 0;
    this.kept = { position: 0, states, counts: countStates(states, isShown), offline, devices, down };
    this.checkpoints = [copyOf(this.kept)];
  }

  /** The state of a device at the time of the last move. */
  stateOf(device: number): number {
    const state = this.kept.states[device] ?? STATES.absent;
    return this.isUnknown && state !== STATES.absent ? STATES.unknown : state;
  }

  /** Writes the states into the lowest two bits of the kinds of points. `devices`: the device of each, or -1. */
  write(kinds: Uint8Array, devices: Int32Array): void {
    const { states } = this.kept;
    const { isUnknown } = this;
    for (let point = 0; point < kinds.length; point++) {
      const device = devices[point]!;
      const state = device < 0 ? STATES.absent : states[device]!;
      kinds[point] = (kinds[point]! & ~3) | (isUnknown && state !== STATES.absent ? STATES.unknown : state);
    }
  }

  get isUnknown(): boolean {
    return isInGap(this.columns.gaps, this.at);
  }

  get counts(): { online: number; offline: number; unknown: number } {
    const [online, offline] = this.kept.counts;
    return this.isUnknown ? { online: 0, offline: 0, unknown: online + offline } : { online, offline, unknown: 0 };
  }

  /** Goes to a time in milliseconds; false if everything is as it was. */
  moveTo(at: number): boolean {
    const { from, to, seconds } = this.columns;
    const wasUnknown = this.isUnknown;
    const before = this.kept.position;
    this.at = Math.min(to, Math.max(from, at));
    const second = Math.floor((this.at - from) / 1000);
    if (before > 0 && seconds[before - 1]! > second) this.restore(second);
    while (this.kept.position < seconds.length && seconds[this.kept.position]! <= second) this.applyNext();
    return this.kept.position !== before || this.isUnknown !== wasUnknown;
  }

  /** When a shown device changes next, or the service goes down or is back; before the moment: when last. */
  eventBeside(step: 1 | -1): number | undefined {
    const { from, seconds, device, gaps } = this.columns;
    const { isShown } = this.fleet;
    const secondOf = (time: number) => Math.floor((time - from) / 1000);
    const now = secondOf(this.at);
    let index = step > 0 ? this.kept.position : this.kept.position - 1;
    while (index in seconds && (isShown[device[index]!] === 0 || seconds[index] === now)) index += step;
    const times = gaps.flatMap((gap) => [gap.from, gap.to]);
    if (index in seconds) times.push(from + seconds[index]! * 1000);
    const beside = times.filter((time) => (secondOf(time) - now) * step > 0);
    if (beside.length === 0) return undefined;
    return step > 0 ? Math.min(...beside) : Math.max(...beside);
  }

  /** The first `most` places of those that are down, in the order in which they went down, and how many there are. */
  downPlaces(most: number): { first: DownPlace[]; count: number } {
    const { down, offline, devices } = this.kept;
    const first: DownPlace[] = [];
    let count = 0;
    for (let place = 0; place < down.length; place++) {
      if (down[place] === 0) continue;
      count++;
      const since = down[place] === BEFORE ? undefined : this.columns.from + (down[place]! - 1) * 1000;
      const each = { place, since, offline: offline[place]!, devices: devices[place]! };
      if (first.length === most && comesBefore(first[most - 1]!, each)) continue;
      const at = first.findIndex((other) => comesBefore(each, other));
      first.splice(at < 0 ? first.length : at, 0, each);
      if (first.length > most) first.pop();
    }
    return { first, count };
  }

  private restore(second: number): void {
    const { seconds } = this.columns;
    let last = Math.min(this.checkpoints.length - 1, Math.floor(this.kept.position / this.every));
    while (last > 0 && seconds[last * this.every - 1]! > second) last--;
    this.kept = copyOf(this.checkpoints[last]!);
  }

  private applyNext(): void {
    const { kept } = this;
    const { isShown, placeOf } = this.fleet;
    const { seconds, device, state } = this.columns;
    const changed = device[kept.position]!;
    const [before, after] = [kept.states[changed]! as State, state[kept.position]! as State];
    kept.states[changed] = after;
    if (isShown[changed] !== 0) {
      kept.counts[before]--;
      kept.counts[after]++;
      const place = placeOf[changed]!;
      if (place >= 0) {
        kept.devices[place]! += Number(after !== STATES.absent) - Number(before !== STATES.absent);
        kept.offline[place]! += Number(after === STATES.offline) - Number(before === STATES.offline);
        if (!isDown(kept.offline[place]!, kept.devices[place]!)) kept.down[place] = 0;
        else if (kept.down[place] === 0) kept.down[place] = seconds[kept.position]! + 1;
      }
    }
    kept.position++;
    if (kept.position % this.every === 0 && this.checkpoints.length === kept.position / this.every)
      this.checkpoints.push(copyOf(kept));
  }
}

/** Whether one went down before the other. Those that were down from the beginning come last, the largest of them first. */
function comesBefore(one: DownPlace, other: DownPlace): boolean {
  const order = ({ since }: DownPlace) => since ?? Number.MAX_SAFE_INTEGER;
  return (order(one) - order(other) || other.offline - one.offline || one.place - other.place) < 0;
}

/** The part that is replayed: the last `length` until now, or as long around a time before that. */
export function spanAround(at: number | undefined, length: number, now: number): ReplaySpan {
  if (at === undefined || !(at < now - length)) return { from: now - length, to: now };
  return { from: at - length / 2, to: at + length / 2 };
}
