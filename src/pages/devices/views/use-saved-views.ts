// The saved views of the account, as this browser stores them.
import { notifications } from '@mantine/notifications';
import { stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { printViews, readViews } from './saved-views.ts';
import type { SavedView } from './saved-views.ts';

const NONE: readonly SavedView[] = [];
const savedViews = stored('muster-views', NONE, { read: (text) => readViews(text).views, print: printViews });

export interface SavedViews {
  views: readonly SavedView[];
  change: (change: (views: readonly SavedView[]) => readonly SavedView[]) => void;
  /** The browser refuses to store them: they are lost with the page. */
  onlyHeld: boolean;
}

export const useSavedViews = (): SavedViews => ({
  views: useStore(savedViews),
  change: (change) => {
    // Another tab may have saved one since this was drawn.
    if (savedViews.set(change(savedViews.get()))) return;
    notifications.show({
      message: 'This browser refuses to keep anything: export your views, or they go with this page.',
      color: 'yellow',
    });
  },
  onlyHeld: savedViews.isRefused(),
});
