// A value in memory that several parts of the page read, and that calls back when it changes.

export interface Listeners {
  notify: () => void;
  /** Calls back after each change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
}

export interface Store<Value> extends Pick<Listeners, 'subscribe'> {
  get: () => Value;
  /** Listeners are called only when the value is another one. */
  set: (value: Value) => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial;
  const { notify, subscribe } = createListeners();
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      notify();
    },
    subscribe,
  };
}

/** The listeners alone, for a value that lives elsewhere. */
export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
