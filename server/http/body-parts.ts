// The body of a request in parts, as they arrive, for those who store it: it ends early if its sender leaves or falls silent.
import type { Readable } from 'node:stream';

/** How long a sender may be silent in the middle of a body. */
const SILENCE_MS = 60_000;

/** The sender was silent for too long. */
export class Stalled extends Error {}

/** Calls `stalled` when nothing has arrived for too long; the returned function ends the watch. */
export function watchForSilence(incoming: Readable, stalled: () => void): () => void {
  let timer = setTimeout(stalled, SILENCE_MS);
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(stalled, SILENCE_MS);
  };
  incoming.on('data', again);
  return () => {
    clearTimeout(timer);
    incoming.off('data', again);
  };
}

/** The parts of a body; throws when the connection breaks or the signal is given. The request itself stays open. */
export async function* partsOf(incoming: Readable, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  const arrived: Buffer[] = [];
  let ending: 'complete' | 'cut off' | 'silent' | undefined;
  let wake = () => {};
  const take = (part: Buffer) => {
    arrived.push(part);
    incoming.pause();
    wake();
  };
  const end = (how: typeof ending) => () => {
    ending ??= how;
    wake();
  };
  const [complete, cutOff] = [end('complete'), end('cut off')];
  incoming.on('data', take).on('end', complete).on('close', cutOff).on('error', cutOff);
  signal.addEventListener('abort', cutOff);
  if (signal.aborted || incoming.destroyed) cutOff();
  try {
    for (;;) {
      const part = arrived.shift();
      if (part) yield part;
      else if (ending === 'complete') return undefined;
      else if (ending === 'cut off') throw new Error('The body of the request was cut off');
      else if (ending === 'silent') throw new Stalled('The rest of the body did not arrive');
      else {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        // Only now is it the sender who is waited for.
        const silence = setTimeout(end('silent'), SILENCE_MS);
        incoming.resume();
        await woken;
        clearTimeout(silence);
      }
    }
  } finally {
    incoming.off('data', take).off('end', complete).off('close', cutOff).off('error', cutOff);
    signal.removeEventListener('abort', cutOff);
  }
}
