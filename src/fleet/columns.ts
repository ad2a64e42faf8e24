// One field of all devices as one array. Versions of the fleet share arrays; the first change copies an array, so that
// an unchanged one stays the same object.
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { Dictionary } from './dictionary.ts';

export interface FleetColumn {
  /** A copy of the values that can be changed without changing these. */
  fork(): FleetColumn;
  /** Whether anything was changed since the fork. */
  readonly changed: boolean;
  /** Writes a device's value; false if it is unchanged. */
  put(row: number, value: unknown): boolean;
  /** The device's value, as in the contract. */
  value(row: number): unknown;
}

/** Numbers by row; a row that was never written has `blank`. */
class Numbers<Values extends Uint32Array | Float64Array> {
  values: Values;
  changed = false;
  private readonly blank: number;

  constructor(values: Values, blank: number) {
    this.values = values;
    this.blank = blank;
  }

  get(row: number): number {
    return this.values[row] ?? this.blank;
  }

  set(row: number, value: number): boolean {
    if (Object.is(this.get(row), value)) return false;
    if (row >= this.values.length) {
      const grown = new (this.values.constructor as new (length: number) => Values)(Math.max(64, row + (row >> 1)));
      grown.fill(this.blank).set(this.values);
      this.values = grown;
    } else if (!this.changed) this.values = this.values.slice() as Values;
    this.changed = true;
    this.values[row] = value;
    return true;
  }
}

/** A field with repeated values. */
export class CodeColumn<Value = unknown> implements FleetColumn {
  readonly dictionary: Dictionary<Value>;
  private readonly codes: Numbers<Uint32Array>;

  constructor(dictionary: Dictionary<Value>, values: Uint32Array = new Uint32Array(0)) {
    this.dictionary = dictionary;
    this.codes = new Numbers(values, 0);
  }

  fork(): CodeColumn<Value> {
    return new CodeColumn(this.dictionary, this.codes.values);
  }
  get changed(): boolean {
    return this.codes.changed;
  }
  code(row: number): number {
    return this.codes.get(row);
  }
  /** The codes by row, for iteration; beyond their end all are 0. */
  get all(): Uint32Array {
    return this.codes.values;
  }
  put(row: number, value: unknown): boolean {
    return this.codes.set(row, this.dictionary.encode(value));
  }
  value(row: number): Value | undefined {
    return this.dictionary.decode(this.code(row));
  }
}

/** A field that differs for every device. */
export class TextColumn implements FleetColumn {
  private texts: string[];
  changed = false;

  constructor(texts: string[] = []) {
    this.texts = texts;
  }

  fork(): TextColumn {
    return new TextColumn(this.texts);
  }
  text(row: number): string {
    return this.texts[row] ?? '';
  }
  put(row: number, value: unknown): boolean {
    const text = typeof value === 'string' ? value : '';
    if (this.text(row) === text) return false;
    if (!this.changed) this.texts = this.texts.slice();
    while (this.texts.length < row) this.texts.push('');
    this.texts[row] = text;
    this.changed = true;
    return true;
  }
  value(row: number): string {
    return this.text(row);
  }
}

const UNREPORTED = Number.NEGATIVE_INFINITY;

/** Milliseconds since the epoch; NaN for an empty or unreadable time. Our own service's format is tried first. */
const millisecondsOf = (text: string): number =>
  text.length === 24 && text.endsWith('Z') ? Date.parse(text) : (parseTimestamp(text)?.getTime() ?? Number.NaN);

/** A time. Unreadable text is stored separately, for display as it is. */
export class TimeColumn implements FleetColumn {
  private readonly times: Numbers<Float64Array>;
  private readonly unreadable: Map<number, string>;
  private unreadableChanged = false;

  constructor(values: Float64Array = new Float64Array(0), unreadable = new Map<number, string>()) {
    this.times = new Numbers(values, UNREPORTED);
    this.unreadable = unreadable;
  }

  fork(): TimeColumn {
    return new TimeColumn(this.times.values, new Map(this.unreadable));
  }
  get changed(): boolean {
    return this.times.changed || this.unreadableChanged;
  }
  /** Not finite if there is no time. */
  time(row: number): number {
    return this.times.get(row);
  }
  /** A copy in which these rows have this time. */
  withTime(rows: Iterable<number>, at: number): TimeColumn {
    const copy = this.fork();
    for (const row of rows) copy.times.set(row, at);
    return copy;
  }
  put(row: number, value: unknown): boolean {
    const text = typeof value === 'string' ? value : undefined;
    const time = text === undefined ? UNREPORTED : millisecondsOf(text);
    const raw = text && Number.isNaN(time) ? text : undefined;
    const other = this.unreadable.get(row) !== raw;
    if (other) {
      this.unreadableChanged = true;
      if (raw === undefined) this.unreadable.delete(row);
      else this.unreadable.set(row, raw);
    }
    return this.times.set(row, time) || other;
  }
  value(row: number): string | undefined {
    const time = this.time(row);
    if (time === UNREPORTED) return undefined;
    return Number.isNaN(time) ? (this.unreadable.get(row) ?? '') : new Date(time).toISOString();
  }
}

/** Locations of devices by row; missing until the locations have been read. */
export interface Places {
  lat: Float64Array;
  lng: Float64Array;
  /** 0: never located. 1: located. 2: invalid coordinates. */
  kind: Uint8Array;
}
