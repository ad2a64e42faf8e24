// What some queries say together, as a store for code that loads late: hooks can't.
import { sameValues } from '#/lib/same-values.ts';

export interface Answered<Value> {
  /** The same object while no query has other data. */
  value: Value;
  error: Error | null;
  isFetching: boolean;
  refetch: () => void;
}

export interface OpenQueries<Value> {
  subscribe: (listener: () => void) => () => void;
  get: () => Answered<Value>;
}

/** A query observer of whatever data. */
interface Observed {
  getCurrentResult: () => { data: unknown; error: Error | null; isFetching: boolean };
  subscribe: (listener: () => void) => () => void;
  refetch: () => unknown;
}

/** They are read and kept current while somebody has subscribed. `valueOf` gets their data, undefined before it is there. */
export function openQueries<Value>(
  observers: readonly Observed[],
  valueOf: (data: readonly unknown[]) => Value,
): OpenQueries<Value> {
  const refetch = () => {
    for (const observer of observers) void observer.refetch();
  };
  const read = () => {
    const results = observers.map((observer) => observer.getCurrentResult());
    const error = results.find((result) => result.error)?.error ?? null;
    return { data: results.map(({ data }) => data), error, isFetching: results.some((result) => result.isFetching) };
  };
  const answer = ({ data, error, isFetching }: ReturnType<typeof read>, value: Value) => ({
    data,
    answered: { value, error, isFetching, refetch },
  });
  const first = read();
  let now = answer(first, valueOf(first.data));
  return {
    get: () => {
      const next = read();
      const isKnown = sameValues(next.data, now.data);
      if (!isKnown || next.error !== now.answered.error || next.isFetching !== now.answered.isFetching)
        now = answer(next, isKnown ? now.answered.value : valueOf(next.data));
      return now.answered;
    },
    subscribe: (listener) => {
      const ends = observers.map((observer) => observer.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
