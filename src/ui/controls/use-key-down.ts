// Keys that work wherever the focus is on the page.
import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * Calls `onKey`, which sees the latest state, for each key press on the page. It subscribes before the first paint, so that
 * no key is lost that is pressed as soon as the page appears.
 */
export function useKeyDown(onKey: (event: KeyboardEvent) => void): void {
  const press = useEffectEvent(onKey);
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Calls `leave` for Escape, unless something else has handled it. */
export const useEscape = (leave: (event: KeyboardEvent) => void): void =>
  useKeyDown((event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave(event);
  });
