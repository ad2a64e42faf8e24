// A write that a click starts. It is a mutation that ignores a second start while one is under way, because two clicks
// can arrive before the button is drawn as disabled.
import { useRef } from 'react';
import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';

/** Writes about different ids, given as text, may be under way together; of all others one at a time is. */
export function useWrite<Data, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Error, Variables, Context>,
): UseMutationResult<Data, Error, Variables, Context> & { isUnderWay: () => boolean } {
  const mutation = useMutation(options);
  const { mutateAsync } = mutation;
  const underWay = useRef(new Set<string>());
  const mutate: typeof mutation.mutate = (...args) => {
    const [variables] = args;
    const what = typeof variables === 'string' ? variables : '';
    if (underWay.current.has(what)) return;
    underWay.current.add(what);
    const over = () => underWay.current.delete(what);
    // What went wrong is in the mutation.
    mutateAsync(...args).then(over, over);
  };
  return { ...mutation, mutate, isUnderWay: () => underWay.current.size > 0 };
}
