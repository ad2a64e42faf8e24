// The keys of a log view. They work wherever nobody types, and Ctrl+F within the log goes to its own search, since the
// browser's would find only the rows in view.
import { useEffect, useRef } from 'react';
import { isFree } from '#/lib/free-key.ts';

/** What each key does; "/" goes to the search. */
type LogKeys = Record<'n' | 'N' | 'g' | 'G' | 'w' | 'f' | 'l', () => void>;

/** `view`: the log; `searchBox`: its search. */
export function useLogKeys(keys: LogKeys) {
  const view = useRef<HTMLElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
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
        searchBox.current?.select();
        return;
      }
      // On a list beside the log, or on a row of it, keys are the list's.
      if (!(within || target === document.body) || !isFree(event)) return;
      if (key !== '/' && !(key in current.current)) return;
      event.preventDefault();
      if (key === '/') searchBox.current?.select();
      else current.current[key as keyof LogKeys]();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return { view, searchBox };
}
