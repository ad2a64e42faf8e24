// Subscribes a component to a value of lib/store.ts or lib/stored.ts.
import { useSyncExternalStore } from 'react';
import type { Store } from '#/lib/store.ts';

export const useStore = <Value>({ get, subscribe }: Pick<Store<Value>, 'get' | 'subscribe'>): Value =>
  useSyncExternalStore(subscribe, get);
