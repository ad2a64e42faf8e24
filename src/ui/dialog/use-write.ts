// A mutation that a click starts. A second start is ignored while the first is in progress, because a second click can
// arrive before the button is disabled.
import { useRef } from 'react';
import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';

/** Writes with different ids (text variables) may run at the same time, others one at a time. */
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
    // The mutation holds the error.
    mutateAsync(...args).then(over, over);
  };
  return { ...mutation, mutate, isUnderWay: () => underWay.current.size > 0 };
}
