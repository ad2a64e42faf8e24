// All places of an account as one JSON list: made a portion at a time and only as fast as the reader takes them. What
// was sent last is kept, for the next map that is opened before a device has moved.
import type { Context } from '../context.ts';
import { Prepared } from '../http/implement.ts';
import { locationsAfter } from '../store/devices.ts';

/** Rows made in one go; between two portions everybody else gets a turn. */
const PORTION = 2_000;
/** Most bytes that are kept: some 250,000 devices. */
const MOST_KEPT = 16 * 1024 * 1024;

type Portion = Uint8Array<ArrayBuffer>;

export function openLocationList({ db, order }: Pick<Context, 'db' | 'order'>): (accountId: number) => Prepared {
  let kept: { version: string; portions: Portion[] } | undefined;

  function* made(accountId: number): Generator<Portion, void> {
    for (let after = 0; ;) {
      const { json, last } = locationsAfter(db, accountId, after, PORTION);
      if (last === null) {
        yield Buffer.from(after === 0 ? '[]' : ']');
        return;
      }
      yield Buffer.from(`${after === 0 ? '[' : ','}${json.slice(1, -1)}`);
      after = last;
    }
  }

  /** The same, remembered when nothing has changed from its first portion to its last. */
  function* makeAndKeep(accountId: number, version: string): Generator<Portion, void> {
    const portions: Portion[] = [];
    let size = 0;
    for (const portion of made(accountId)) {
      size += portion.length;
      if (size <= MOST_KEPT) portions.push(portion);
      else portions.length = 0;
      yield portion;
    }
    if (size <= MOST_KEPT && order.version(accountId) === version) kept = { version, portions };
  }

  return (accountId) => {
    const version = order.version(accountId);
    return new Prepared(
      () => inTurns(kept?.version === version ? kept.portions.values() : makeAndKeep(accountId, version)),
      version,
    );
  };
}

function inTurns(portions: Iterator<Portion, void>): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream({
    async pull(controller) {
      if (begun) await new Promise<void>((resolve) => void setImmediate(resolve));
      begun = true;
      const portion = portions.next();
      if (portion.done) controller.close();
      else controller.enqueue(portion.value);
    },
  });
}
