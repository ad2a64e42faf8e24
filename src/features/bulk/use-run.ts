// A run over many items as a dialog shows it: the results so far, how far it is, and the way to cancel it. What it does and
// what a result is are its caller's.
import { useEffect, useRef, useState } from 'react';
import { useWrite } from '#/ui/dialog/use-write.ts';

export interface RunWatch<Result> {
  /** It is cancelled, or its dialog is closed. */
  signal: AbortSignal;
  /** Its dialog is closed: nobody sees results any more. */
  closed: AbortSignal;
  /** The results of earlier runs stay until they are replaced. */
  onResult: (key: string, result: Result) => void;
}

interface RunState<Result> {
  /** Every result so far, of earlier runs too, by key. Another object after each change. */
  results: ReadonlyMap<string, Result>;
  /** How many this run is for, and how many of them have their result. */
  total: number;
  ended: number;
}

type Work<Result> = (watch: RunWatch<Result>) => Promise<void>;

/** How often a run is drawn again, in milliseconds. */
const TICK = 120;

/** `changes`: what it makes stale; read again once, after all of it. */
export function useRun<Result>(changes: readonly string[]) {
  const [state, setState] = useState<RunState<Result>>({ results: new Map(), total: 0, ended: 0 });
  const [cancelling, setCancelling] = useState(false);
  const abort = useRef(new AbortController());
  const closing = useRef(new AbortController());
  // Closed with its page, by a sign-out for example: nothing new is sent then.
  useEffect(() => {
    closing.current = new AbortController();
    return () => {
      closing.current.abort();
      abort.current.abort();
    };
  }, []);

  const run = useWrite({
    mutationFn: async ({ total, work }: { total: number; work: Work<Result> }) => {
      const results = new Map(state.results);
      let ended = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const draw = () => {
        timer = undefined;
        setState({ results: new Map(results), total, ended });
      };
      draw();
      try {
        await work({
          signal: abort.current.signal,
          closed: closing.current.signal,
          onResult: (key, result) => {
            results.set(key, result);
            ended++;
            timer ??= setTimeout(draw, TICK);
          },
        });
      } finally {
        clearTimeout(timer);
        draw();
      }
    },
    meta: { changes },
  });
  return {
    ...state,
    start: (total: number, work: Work<Result>) => {
      if (run.isUnderWay()) return;
      abort.current = new AbortController();
      setCancelling(false);
      run.mutate({ total, work });
    },
    /** What is under way is awaited, nothing new begins. */
    cancel: () => {
      setCancelling(true);
      abort.current.abort();
    },
    cancelling,
    busy: run.isPending,
    error: run.error,
  };
}
