// Where a replay is, and whether it plays. The map follows each frame; text follows a few times a second.
import { createListeners, createStore } from '#/lib/store.ts';
import type { FleetReplay, ReplaySpan } from './replay-data.ts';

export interface Moment {
  at: number;
  isPlaying: boolean;
}

/** Milliseconds between two changes of what is text while it plays. */
const GLANCE = 250;

export class ReplayPlayer {
  /** What was asked for, and then what is known of it. */
  span: ReplaySpan;
  readonly moment;
  /** The same, as often as text can be read. */
  readonly glance;
  /** Of the states of devices. */
  readonly changes = createListeners();
  private replay: FleetReplay | undefined;
  private sinceGlance = 0;

  constructor(span: ReplaySpan, at: number) {
    this.span = span;
    this.moment = createStore<Moment>({ at: this.within(at), isPlaying: false });
    this.glance = createStore(this.moment.get());
  }

  /** Goes on with other devices. */
  show(replay: FleetReplay): void {
    this.replay = replay;
    this.span = replay.columns;
    const { at, isPlaying } = this.moment.get();
    const moment = { at: this.within(at), isPlaying };
    replay.moveTo(moment.at);
    this.moment.set(moment);
    this.changes.notify();
    this.glance.set({ ...moment });
  }

  /** To the event before or after the moment, if there is one. */
  skip(step: 1 | -1): void {
    const at = this.replay?.eventBeside(step);
    if (at !== undefined) this.seek(at);
  }

  seek(at: number): void {
    this.go({ ...this.moment.get(), at });
  }

  /** From the beginning if it is at the end. */
  play(): void {
    const { at } = this.moment.get();
    this.go({ at: at >= this.span.to ? this.span.from : at, isPlaying: true });
  }

  pause(): void {
    this.go({ ...this.moment.get(), isPlaying: false });
  }

  toggle(): void {
    if (this.moment.get().isPlaying) this.pause();
    else this.play();
  }

  /** Plays so many milliseconds at a speed; it pauses at the end. */
  advance(elapsed: number, speed: number): void {
    const { at, isPlaying } = this.moment.get();
    if (!isPlaying) return;
    const next = at + elapsed * speed;
    this.sinceGlance += elapsed;
    const isOver = next >= this.span.to;
    this.go({ at: next, isPlaying: !isOver }, isOver || this.sinceGlance >= GLANCE);
  }

  private go({ at, isPlaying }: Moment, isGlance = true): void {
    const moment = { at: this.within(at), isPlaying };
    const isChanged = this.replay?.moveTo(moment.at) ?? false;
    this.moment.set(moment);
    if (isChanged) this.changes.notify();
    if (!isGlance) return;
    this.sinceGlance = 0;
    this.glance.set(moment);
  }

  private within(at: number): number {
    return Math.min(this.span.to, Math.max(this.span.from, at));
  }
}
