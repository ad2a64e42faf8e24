// A value in memory that several parts of the page share, with callbacks for its changes.

export interface Listeners {
  notify: () => void;
  /** Calls back after each change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
}

export interface Store<Value> extends Pick<Listeners, 'subscribe'> {
  get: () => Value;
  /** Calls the listeners if the value is a different one. */
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

/** Only the listeners, for a value that is kept elsewhere. */
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
