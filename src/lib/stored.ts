// Values that this browser stores. Every key is listed here, so that the Account page knows what is stored without the code
// that stores it.
import type { ZodMiniType } from 'zod/mini';
import { createListeners, createStore } from './store.ts';

export type StoredKind = 'views' | 'rules' | 'verdicts' | 'history' | 'look' | 'other';

interface Entry {
  /** `account`: one value for each account. `browser`: one for everybody. */
  scope: 'account' | 'browser';
  /** Under which heading the Account page lists it; without one it is not listed. */
  kind?: StoredKind;
}

/** Browsers hold data under these keys: a renamed key loses it. */
const KEYS = {
  'muster-views': { scope: 'account', kind: 'views' },
  'muster-columns': { scope: 'account', kind: 'views' },
  'muster-outcome-rules': { scope: 'account', kind: 'rules' },
  'muster-rule-names': { scope: 'account', kind: 'rules' },
  'muster-verdicts': { scope: 'account', kind: 'verdicts' },
  'muster-usage': { scope: 'account', kind: 'history' },
  'muster-states': { scope: 'account', kind: 'history' },
  'muster-watched': { scope: 'account', kind: 'history' },
  'muster-recent': { scope: 'account', kind: 'other' },
  'muster-first-steps': { scope: 'account', kind: 'other' },
  'muster-stale-days': { scope: 'account', kind: 'other' },
  'muster-system-notices': { scope: 'browser' },
  'muster-look': { scope: 'browser', kind: 'look' },
  'muster-log-look': { scope: 'browser', kind: 'look' },
  'mantine-color-scheme-value': { scope: 'browser', kind: 'look' },
} as const satisfies Record<string, Entry>;
type Key = keyof typeof KEYS;

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

function readText(whole: string): string | null {
  const held = refused.get(whole);
  if (held !== undefined) return held;
  try {
    return localStorage.getItem(whole);
  } catch {
    return null;
  }
}

function writeText(whole: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(whole);
    else localStorage.setItem(whole, text);
    refused.delete(whole);
  } catch {
    refused.set(whole, text);
  }
}

/**
 * A stored value. Text that can't be read counts as `initial`; the next `set` moves it to "<key>:unreadable", because a newer
 * version of the page may still read it.
 */
export function stored<Value>(key: Key, initial: Value, { read, print }: Format<Value>): Stored<Value> {
  const wholeKey = () => (KEYS[key].scope === 'account' ? `${key}:${currentAccount.get()}` : key);
  let last: { whole: string; text: string | null; value: Value; isBroken: boolean } | undefined;
  const look = () => {
    const whole = wholeKey();
    const text = readText(whole);
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
      if (isBroken) writeText(`${whole}:unreadable`, text);
      last = { whole, text: next, value, isBroken: false };
      if (next !== text || refused.has(whole)) {
        writeText(whole, next);
        changes.notify();
      }
      return !refused.has(whole);
    },
    isRefused: () => refused.has(wholeKey()),
    subscribe,
  };
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

interface StoredPart {
  keys: string[];
  /** As a browser counts: two for each character. */
  bytes: number;
}

/** What is stored of each kind for this account and for everybody; `all`: the text of `allStored`. */
export function storedParts(all: string, account: string): Map<StoredKind, StoredPart> {
  const parts = new Map<StoredKind, StoredPart>();
  const entries = new Map<string, Entry>(Object.entries(KEYS));
  for (const [whole, text] of JSON.parse(all) as [string, string][]) {
    const [key = '', ...owner] = whole.replace(/:unreadable$/, '').split(':');
    const { kind, scope } = entries.get(key) ?? {};
    if (!kind || owner.join(':') !== (scope === 'account' ? account : '')) continue;
    const part = parts.get(kind) ?? { keys: [], bytes: 0 };
    parts.set(kind, { keys: [...part.keys, whole], bytes: part.bytes + 2 * (whole.length + text.length) });
  }
  return parts;
}

/** Removes keys that `storedParts` named. */
export function clearStored(keys: readonly string[]): void {
  for (const key of keys) writeText(key, null);
  changes.notify();
}
