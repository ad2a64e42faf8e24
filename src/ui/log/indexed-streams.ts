// The streams of a log with the index of each, carried on as its text grows.
import { indexLines } from './lines.ts';
import type { IndexedStream, LogStream } from './log-items.ts';

/** The streams with their indexes; `before` itself where nothing changed. */
export function indexStreams(
  streams: readonly LogStream[],
  before: readonly IndexedStream[],
  raw: boolean,
): readonly IndexedStream[] {
  const next = streams.map((stream, position) => {
    const old = before[position];
    const isSame = old?.stream.name === stream.name;
    if (isSame && old.stream.pieces === stream.pieces && old.index.raw === raw) return old;
    return { stream, index: indexLines(stream.pieces, isSame ? old.index : undefined, raw) };
  });
  const isChanged = next.length !== before.length || next.some((each, position) => each !== before[position]);
  return isChanged ? next : before;
}

/** The stream that became longer, the lower one of two. */
export const grownStream = (before: readonly IndexedStream[], now: readonly IndexedStream[]): string | undefined =>
  now.findLast(({ stream, index }) => {
    const old = before.find((each) => each.stream.name === stream.name);
    return index.text.length > (old?.index.text.length ?? 0);
  })?.stream.name;
