// Lets requests that come in crowds through a few at a time, so that everyone else is answered in between: ten thousand devices
// that are switched on together join within seconds, and nobody at the dashboard notices.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a request may keep its place while its body is still on its way. */
const BODY_PATIENCE_MS = 250;

export interface Turnstile {
  /** Calls `proceed` when it is the request's turn; never if its connection was closed before. */
  pass(incoming: IncomingMessage, outgoing: ServerResponse, proceed: () => void): void;
}

/** `atOnce`: requests that are worked on at a time. The others wait in the order in which they came. */
export function openTurnstile(atOnce: number): Turnstile {
  const waiting = new Set<() => void>();
  let inside = 0;

  const callNext = () => {
    const [next] = waiting;
    if (inside >= atOnce || !next) return;
    waiting.delete(next);
    next();
  };

  const enter = (incoming: IncomingMessage, outgoing: ServerResponse, proceed: () => void) => {
    inside += 1;
    let isInside = true;
    const leave = () => {
      clearTimeout(patience);
      if (!isInside) return;
      isInside = false;
      inside -= 1;
      // Other events of this turn come first.
      setImmediate(callNext);
    };
    const patience = setTimeout(() => incoming.complete || leave(), BODY_PATIENCE_MS);
    outgoing.once('close', leave);
    proceed();
  };

  return {
    pass: (incoming, outgoing, proceed) => {
      if (inside < atOnce && waiting.size === 0) return enter(incoming, outgoing, proceed);
      const next = () => {
        outgoing.off('close', giveUp);
        enter(incoming, outgoing, proceed);
      };
      const giveUp = () => waiting.delete(next);
      outgoing.once('close', giveUp);
      waiting.add(next);
    },
  };
}
