// The saved views of whoever is signed in.
import { useMemo } from 'react';
import { notifications } from '@mantine/notifications';
import { isOnlyHeld, keepText, readKept } from '#/ui/form/kept-text.ts';
import { printViews, readViews } from './saved-views.ts';
import type { SavedView } from './saved-views.ts';
import { useKept } from '#/pages/devices/table/use-column-choice.ts';

export interface SavedViews {
  views: readonly SavedView[];
  change: (change: (views: readonly SavedView[]) => readonly SavedView[]) => void;
  /** The browser refuses to keep them: they are lost with the page. */
  onlyHeld: boolean;
}

function parse(text: string | null): { views: readonly SavedView[]; isBroken: boolean } {
  if (!text) return { views: [], isBroken: false };
  try {
    return { views: readViews(text).views, isBroken: false };
  } catch {
    return { views: [], isBroken: true };
  }
}

export function useSavedViews(): SavedViews {
  const { key, text } = useKept('views');
  const { views } = useMemo(() => parse(text), [text]);
  return {
    views,
    change: (change) => {
      // Another tab may have saved one since this was drawn.
      const now = readKept(key);
      const { views: kept, isBroken } = parse(now);
      // A newer version of this page may still read what this one cannot.
      if (isBroken) keepText(`${key}:unreadable`, now);
      keepText(key, printViews(change(kept)));
      if (isOnlyHeld(key))
        notifications.show({
          message: 'This browser refuses to keep anything: export your views, or they go with this page.',
          color: 'yellow',
        });
    },
    onlyHeld: isOnlyHeld(key),
  };
}
