// Keys that work wherever the focus is.
import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * `onKey` is called for each key that is pressed on the page, and sees the latest state. It listens before the page is
 * painted: a key that is pressed at the first sight of the page is not lost.
 */
export function useKeyDown(onKey: (event: KeyboardEvent) => void): void {
  const press = useEffectEvent(onKey);
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** The same for Escape, where nothing else has taken the key. */
export const useEscape = (leave: (event: KeyboardEvent) => void): void =>
  useKeyDown((event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave(event);
  });
