// A selection, drawn again when it changes.
import { useSyncExternalStore } from 'react';
import type { SelectedIds } from './selected-ids.ts';

export const useSelectedIds = ({ subscribe, get }: SelectedIds): ReadonlySet<string> =>
  useSyncExternalStore(subscribe, get);
