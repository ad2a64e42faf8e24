// Prints a replay of the fleet as JSON, some thousand values at a time.
import type { Json } from '../http/json-response.ts';
import { LETTERS, type StateReplay } from '../store/state-replay.ts';
import { runChunked } from './location-list.ts';

const AT_ONCE = 20_000;

function* listOf(values: Uint32Array, length: number): Generator<string> {
  for (let at = 0; at < length; at += AT_ONCE)
    yield `${at === 0 ? '' : ','}${values.subarray(at, Math.min(length, at + AT_ONCE)).join(',')}`;
}

function lettersOf(online: Uint8Array, length: number): string {
  const letters = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) letters[at] = online[at] === 0 ? LETTERS.offline : LETTERS.online;
  return letters.toString('latin1');
}

function* textOf(From: string, replay: StateReplay, Gaps: unknown): Generator<string> {
  const { ids, states, changes, seconds, device, online } = replay;
  yield `{"From":${JSON.stringify(From)},"Devices":[`;
  for (let at = 0; at < ids.length; at += AT_ONCE)
    yield `${at === 0 ? '' : ','}${JSON.stringify(ids.slice(at, at + AT_ONCE)).slice(1, -1)}`;
  yield `],"States":"${Buffer.from(states).toString('latin1')}","Changes":{"Seconds":[`;
  yield* listOf(seconds, changes);
  yield '],"Device":[';
  yield* listOf(device, changes);
  yield '],"State":"';
  yield lettersOf(online, changes);
  yield `"},"Gaps":${JSON.stringify(Gaps)}}`;
}

function* encoded(texts: Generator<string>) {
  for (const text of texts) yield Buffer.from(text);
}

export const replayJson = (from: string, replay: StateReplay, gaps: unknown): Json =>
  runChunked(encoded(textOf(from, replay, gaps)));
