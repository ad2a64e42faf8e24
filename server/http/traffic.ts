// Running requests, and how they end when the service stops: new ones are refused, running ones may finish, and those
// that take longer get an answer instead of a broken connection.
import { Problem } from './problem.ts';

export interface Traffic {
  /** Number of requests without an answer. */
  active: number;
  /** It will stop: load balancers should send new requests elsewhere. */
  readonly isDraining: boolean;
  /** New requests are refused. */
  readonly isStopping: boolean;
  /** Aborted when requests that still run must be answered with `stopping()`. */
  readonly giveUp: AbortSignal;
  drain(): void;
  stop(withinMs?: number): void;
}

/** How long an upload may still take. */
export const FINISH_TIMEOUT_MS = 5_000;
/** How long the rest of a request is read after that, so that its sender receives the answer. */
export const ANSWER_TIMEOUT_MS = 1_500;

/** Its timers do not keep the process alive: it ends when all requests have. */
export function openTraffic(): Traffic {
  const giveUp = new AbortController();
  let isDraining = false;
  let isStopping = false;
  return {
    active: 0,
    get isDraining() {
      return isDraining || isStopping;
    },
    get isStopping() {
      return isStopping;
    },
    giveUp: giveUp.signal,
    drain: () => {
      isDraining = true;
    },
    stop: (withinMs = FINISH_TIMEOUT_MS) => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => giveUp.abort(), withinMs).unref();
    },
  };
}

/** The answer to requests that come too late or take too long. */
export const stopping = (detail = 'Nothing was stored. Send the request again when the service is back.'): Problem =>
  new Problem(503, 'The service is stopping', detail, { headers: { Connection: 'close', 'Retry-After': '10' } });
