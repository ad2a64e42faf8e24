// What is under way, and how it ends when the service is asked to stop: nothing new is begun, what is under way may end,
// and what takes longer is answered instead of cut off.
import { Problem } from './problem.ts';

export interface Traffic {
  /** Requests that are not answered yet. */
  active: number;
  /** Nothing new is begun. */
  readonly isStopping: boolean;
  /** Aborted when what is still under way is to be answered with `stopping()`. */
  readonly giveUp: AbortSignal;
  stop(withinMs?: number): void;
}

/** An upload has this long to end. */
export const FINISH_WITHIN_MS = 5_000;
/** Then whatever still comes is read this long, so that its sender sees the answer. */
export const ANSWER_WITHIN_MS = 1_500;

/** Timers that do not keep the process alive: it ends when all that is under way has. */
export function openTraffic(): Traffic {
  const giveUp = new AbortController();
  let isStopping = false;
  return {
    active: 0,
    get isStopping() {
      return isStopping;
    },
    giveUp: giveUp.signal,
    stop: (withinMs = FINISH_WITHIN_MS) => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => giveUp.abort(), withinMs).unref();
    },
  };
}

/** What a request is answered that comes too late, or takes too long. */
export const stopping = (detail = 'Nothing was stored. Send the request again when the service is back.'): Problem =>
  new Problem(503, 'The service is stopping', detail, { headers: { Connection: 'close', 'Retry-After': '10' } });
