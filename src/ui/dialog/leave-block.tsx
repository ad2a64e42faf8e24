// Asks before navigation loses something. The router allows one blocker at a time, but several parts of a page may have
// something to lose: they ask one after the other.
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useBlocker, type BlockerFunction } from 'react-router';
import { createStore } from '#/lib/store.ts';

interface Guard {
  blocks: BlockerFunction;
}

interface Blocked {
  guard: Guard;
  stay: () => void;
  leave: () => void;
}

const guards = new Set<Guard>();
const blocked = createStore<Blocked | undefined>(undefined);

/** Rendered once, in the frame around all pages. */
export function LeaveBlocker() {
  const asking = useRef<Guard[]>([]);
  const blocker = useBlocker((move) => {
    asking.current = [...guards].filter(({ blocks }) => blocks(move));
    return asking.current.length > 0;
  });
  useEffect(() => {
    if (blocker.state !== 'blocked') return blocked.set(undefined);
    const ask = (rest: readonly Guard[]) => {
      const [guard, ...others] = rest;
      if (!guard) return blocker.proceed();
      blocked.set({ guard, stay: () => blocker.reset(), leave: () => ask(others) });
    };
    // The one that was mounted last is on top, and asks first.
    ask(asking.current.toReversed());
  }, [blocker]);
  return null;
}

/** Lets the next navigation pass, whatever it loses. */
export const leaveUnasked = (): void => guards.clear();

/** How to answer a blocked navigation; undefined while there is none. */
export function useLeaveBlock(blocks: BlockerFunction): Pick<Blocked, 'stay' | 'leave'> | undefined {
  const latest = useRef(blocks);
  const [guard] = useState<Guard>(() => ({ blocks: (move) => latest.current(move) }));
  useLayoutEffect(() => {
    latest.current = blocks;
  });
  useLayoutEffect(() => {
    guards.add(guard);
    return () => void guards.delete(guard);
  }, [guard]);
  const now = useSyncExternalStore(blocked.subscribe, blocked.get);
  return now?.guard === guard ? now : undefined;
}
