// Values that this browser stores. The keys of accounts are in stored-keys.ts, which only the Account page loads.
import type { ZodMiniType } from 'zod/mini';
import type { StoredKey } from './stored-keys.ts';
import { createListeners, createStore } from './store.ts';

/** What has one value for every account. */
export const OF_BROWSER = {
  'muster-look': 'look',
  'muster-log-look': 'look',
  'muster-system-notices': undefined,
  'mantine-color-scheme-value': 'look',
} as const;

/** What is stored for this tab alone, until it is closed. */
export type TabKey = 'muster-reloaded-for' | 'muster-deploy' | `muster-devices-${string}`;

/** The account whose values are read and written; '' while nobody is signed in. Set by the session. */
export const currentAccount = createStore('');

export interface Format<Value> {
  /** Throws for text that it can't read. */
  read: (text: string) => Value;
  print: (value: Value) => string;
}

export const json = <Value>(schema: ZodMiniType<Value>): Format<Value> => ({
  read: (text) => schema.parse(JSON.parse(text)),
  print: (value) => JSON.stringify(value),
});

export interface Stored<Value> {
  /** The same object until something else is stored. */
  get: () => Value;
  /** `initial` itself removes the text. False: the browser refused, and the value is lost with the page. */
  set: (value: Value) => boolean;
  isRefused: () => boolean;
  /** Calls back when anything is stored, in other tabs too, and when another account signs in. */
  subscribe: (listener: () => void) => () => void;
}

const changes = createListeners();
currentAccount.subscribe(changes.notify);
/** What the browser refused to store, by whole key. */
const refused = new Map<string, string | null>();

function subscribe(listener: () => void): () => void {
  const leave = changes.subscribe(listener);
  window.addEventListener('storage', listener);
  return () => {
    leave();
    window.removeEventListener('storage', listener);
  };
}

/** Reading the property throws where storage is turned off. */
type StorageOf = () => Storage;
const ofBrowser: StorageOf = () => localStorage;
const ofTab: StorageOf = () => sessionStorage;

function readText(storage: StorageOf, whole: string): string | null {
  const held = refused.get(whole);
  if (held !== undefined) return held;
  try {
    return storage().getItem(whole);
  } catch {
    return null;
  }
}

function writeText(storage: StorageOf, whole: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(whole);
    else storage().setItem(whole, text);
    refused.delete(whole);
  } catch {
    refused.set(whole, text);
  }
}

/**
 * A stored value. Text that can't be read counts as `initial`; the next `set` moves it to "<key>:unreadable", because a newer
 * version of the page may still read it.
 */
export const stored = <Value>(key: StoredKey, initial: Value, format: Format<Value>): Stored<Value> =>
  storedIn(ofBrowser, () => (key in OF_BROWSER ? key : `${key}:${currentAccount.get()}`), initial, format);

/** The same for this tab, for any user. */
export const storedInTab = <Value>(key: TabKey, initial: Value, format: Format<Value>): Stored<Value> =>
  storedIn(ofTab, () => key, initial, format);

function storedIn<Value>(
  storage: StorageOf,
  wholeKey: () => string,
  initial: Value,
  { read, print }: Format<Value>,
): Stored<Value> {
  let last: { whole: string; text: string | null; value: Value; isBroken: boolean } | undefined;
  const look = () => {
    const whole = wholeKey();
    const text = readText(storage, whole);
    if (last?.whole === whole && last.text === text) return last;
    last = { whole, text, value: initial, isBroken: false };
    try {
      if (text !== null) last.value = read(text);
    } catch {
      last.isBroken = true;
    }
    return last;
  };
  return {
    get: () => look().value,
    set: (value) => {
      const { whole, text, isBroken } = look();
      const next = value === initial ? null : print(value);
      if (isBroken) writeText(storage, `${whole}:unreadable`, text);
      last = { whole, text: next, value, isBroken: false };
      if (next !== text || refused.has(whole)) {
        writeText(storage, whole, next);
        changes.notify();
      }
      return !refused.has(whole);
    },
    isRefused: () => refused.has(wholeKey()),
    subscribe,
  };
}

/** The keys of this tab that begin so. */
export function tabKeys<Prefix extends TabKey>(prefix: Prefix): Prefix[] {
  try {
    return Object.keys(sessionStorage).filter((key): key is Prefix => key.startsWith(prefix));
  } catch {
    return []; // Storage is turned off: nothing is stored.
  }
}

// ---- For the Account page --------------------------------------------------------------------------------------------

/** Everything in localStorage, as one text: a store has to give the same value while nothing changed. */
export const allStored = {
  get: (): string => {
    try {
      return JSON.stringify(Object.entries(localStorage));
    } catch {
      return '[]'; // Storage is turned off: nothing is stored.
    }
  },
  subscribe,
};

/** Removes keys that `storedParts` named. */
export function clearStored(keys: readonly string[]): void {
  for (const key of keys) writeText(ofBrowser, key, null);
  changes.notify();
}
