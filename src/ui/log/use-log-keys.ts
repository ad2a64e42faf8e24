// The keys of a log view. They work wherever nobody types, and Ctrl+F within the log goes to its own search, since the
// browser's would find only the rows in view.
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFree } from '#/lib/free-key.ts';

/** What each key does. */
export type LogKeys = Record<'/' | 'n' | 'N' | 'g' | 'G' | 'w' | 'f' | 'l', () => void>;

export function useLogKeys(view: RefObject<HTMLElement | null>, keys: LogKeys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      const within = target instanceof Node && (view.current?.contains(target) ?? false);
      if (within && key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        current.current['/']();
        return;
      }
      // On a list beside the log, or on a row of it, keys are the list's.
      if (!(within || target === document.body) || !isFree(event) || !(key in current.current)) return;
      event.preventDefault();
      current.current[key as keyof LogKeys]();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [view]);
}
