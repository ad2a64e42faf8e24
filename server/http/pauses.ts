// Whether the process stood still a moment ago, as that of a suspended machine does. Requests are still in the sockets then
// whose clients have given up.

const LOOK_EVERY_MS = 250;
/** A process with much to do is late, too, but not by as much. */
const PAUSE_MS = 1_000;
/** How long it takes at most until the requests are read that came in meanwhile. */
const AFTER_MS = 5_000;

let last = Infinity;
let ended = -Infinity;

function look(): void {
  const now = performance.now();
  if (now - last > PAUSE_MS) ended = now;
  last = now;
}

/** Begins to watch; once is enough. */
export function watchForPauses(): void {
  if (last !== Infinity) return;
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
}

export function wasPaused(): boolean {
  if (last !== Infinity) look();
  return performance.now() - ended < AFTER_MS;
}
