// Reads values of lib/store.ts and lib/stored.ts in components, which are drawn again when the value changes.
import { useSyncExternalStore } from 'react';
import type { Store } from '#/lib/store.ts';

export const useStore = <Value>({ get, subscribe }: Pick<Store<Value>, 'get' | 'subscribe'>): Value =>
  useSyncExternalStore(subscribe, get);
