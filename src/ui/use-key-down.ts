// Keys that work wherever the focus is.
import { useEffect, useEffectEvent } from 'react';

/** `onKey` is called for each key that is pressed on the page, and sees the latest state. */
export function useKeyDown(onKey: (event: KeyboardEvent) => void): void {
  const press = useEffectEvent(onKey);
  useEffect(() => {
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
