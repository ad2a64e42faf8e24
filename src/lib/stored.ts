// Values in localStorage and sessionStorage. The keys of accounts are in stored-keys.ts.
import type { ZodMiniType } from 'zod/mini';
import type { StoredKey } from './stored-keys.ts';
import { createListeners, createStore } from './store.ts';

/** Keys whose value is the same for every account. */
export const OF_BROWSER = {
  'muster-look': 'look',
  'muster-log-look': 'look',
  'muster-device-panel': 'look',
  'muster-system-notices': undefined,
  'mantine-color-scheme-value': 'look',
} as const;

/** Keys whose value lasts as long as this tab. */
export type TabKey = 'muster-reloaded-for' | 'muster-deploy' | `muster-devices-${string}`;

/** The account whose values are read and written; '' while signed out. The session sets it. */
export const currentAccount = createStore('');

export interface Format<Value> {
  /** Throws if it cannot read the text. */
  read: (text: string) => Value;
  print: (value: Value) => string;
}

export const json = <Value>(schema: ZodMiniType<Value>): Format<Value> => ({
  read: (text) => schema.parse(JSON.parse(text)),
  print: (value) => JSON.stringify(value),
});

export interface Stored<Value> {
  /** Returns the same object until something else is stored. */
  get: () => Value;
  /** Setting `initial` removes the text. False: the browser refused, and the value lasts only as long as the page. */
  set: (value: Value) => boolean;
  isRefused: () => boolean;
  /** Calls back when anything is stored, here or in another tab, and when another account signs in. */
  subscribe: (listener: () => void) => () => void;
}

const changes = createListeners();
currentAccount.subscribe(changes.notify);
/** What the browser refused to store, by full key. */
const refused = new Map<string, string | null>();

function subscribe(listener: () => void): () => void {
  const leave = changes.subscribe(listener);
  window.addEventListener('storage', listener);
  return () => {
    leave();
    window.removeEventListener('storage', listener);
  };
}

/** A function, because reading the property throws if storage is turned off. */
type StorageOf = () => Storage;
const ofBrowser: StorageOf = () => localStorage;
const ofTab: StorageOf = () => sessionStorage;

function readText(storage: StorageOf, fullKey: string): string | null {
  const held = refused.get(fullKey);
  if (held !== undefined) return held;
  try {
    return storage().getItem(fullKey);
  } catch {
    return null;
  }
}

function writeText(storage: StorageOf, fullKey: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(fullKey);
    else storage().setItem(fullKey, text);
    refused.delete(fullKey);
  } catch {
    refused.set(fullKey, text);
  }
}

/**
 * A stored value. Unreadable text counts as `initial`; the next `set` moves it to "<key>:unreadable", because a newer
 * version of the page may be able to read it.
 */
export const stored = <Value>(key: StoredKey, initial: Value, format: Format<Value>): Stored<Value> =>
  storedIn(ofBrowser, () => (key in OF_BROWSER ? key : `${key}:${currentAccount.get()}`), initial, format);

/** A value that lasts as long as this tab, for any account. */
export const storedInTab = <Value>(key: TabKey, initial: Value, format: Format<Value>): Stored<Value> =>
  storedIn(ofTab, () => key, initial, format);

function storedIn<Value>(
  storage: StorageOf,
  fullKeyOf: () => string,
  initial: Value,
  { read, print }: Format<Value>,
): Stored<Value> {
  let last: { fullKey: string; text: string | null; value: Value; isBroken: boolean } | undefined;
  const look = () => {
    const fullKey = fullKeyOf();
    const text = readText(storage, fullKey);
    if (last?.fullKey === fullKey && last.text === text) return last;
    last = { fullKey, text, value: initial, isBroken: false };
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
      const { fullKey, text, isBroken } = look();
      const next = value === initial ? null : print(value);
      if (isBroken) writeText(storage, `${fullKey}:unreadable`, text);
      last = { fullKey, text: next, value, isBroken: false };
      if (next !== text || refused.has(fullKey)) {
        writeText(storage, fullKey, next);
        changes.notify();
      }
      return !refused.has(fullKey);
    },
    isRefused: () => refused.has(fullKeyOf()),
    subscribe,
  };
}

/** The keys of this tab that start with `prefix`. */
export function tabKeys<Prefix extends TabKey>(prefix: Prefix): Prefix[] {
  try {
    return Object.keys(sessionStorage).filter((key): key is Prefix => key.startsWith(prefix));
  } catch {
    return []; // Storage is turned off.
  }
}

/** Everything in localStorage, as one text, which compares as equal while nothing changes. */
export const allStored = {
  get: (): string => {
    try {
      return JSON.stringify(Object.entries(localStorage));
    } catch {
      return '[]'; // Storage is turned off.
    }
  },
  subscribe,
};

/** Removes everything that is stored for an account, and for this tab. */
export function forgetAccount(account: string): void {
  const keys = (JSON.parse(allStored.get()) as [key: string, text: string][]).map(([key]) => key);
  clearStored(keys.filter((key) => key.replace(/:unreadable$/, '').endsWith(`:${account}`)));
  for (const key of [...tabKeys('muster-deploy'), ...tabKeys('muster-devices-')]) writeText(ofTab, key, null);
}

/** Removes keys that `storedParts` named. */
export function clearStored(keys: readonly string[]): void {
  for (const key of keys) writeText(ofBrowser, key, null);
  changes.notify();
}
