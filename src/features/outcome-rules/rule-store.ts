// The outcome rules of whoever is signed in, as this browser keeps them, the same in all its tabs.
import { useMemo, useSyncExternalStore } from 'react';
import { useAccountKey } from '#/api/account-key.ts';
import { printRuleSets, readRuleSets } from './rule-sets.ts';
import type { RuleSet } from './rule-sets.ts';

/** What could not be kept, where a browser refuses to; it holds until the page is left. */
const unkept = new Map<string, string>();
const watchers = new Set<() => void>();
const tell = () => {
  for (const each of watchers) each();
};

function subscribe(watcher: () => void) {
  watchers.add(watcher);
  window.addEventListener('storage', watcher);
  return () => {
    watchers.delete(watcher);
    window.removeEventListener('storage', watcher);
  };
}

function read(key: string): string {
  const held = unkept.get(key);
  if (held !== undefined) return held;
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Keeps the rules; false where the browser refuses, and they only hold until the page is left. */
function keep(key: string, sets: readonly RuleSet[]): boolean {
  const text = sets.length === 0 ? '' : printRuleSets(sets);
  unkept.delete(key);
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    unkept.set(key, text);
  }
  tell();
  return !unkept.has(key);
}

// Read once for all parts of a page: the same rules are the same object, by which it is known what was read with them.
let last: { text: string; sets: readonly RuleSet[] } = { text: '', sets: [] };
const setsIn = (text: string) => {
  if (last.text !== text) last = { text, sets: readRuleSets(text) };
  return last.sets;
};

export interface RuleStore {
  sets: readonly RuleSet[];
  save: (sets: readonly RuleSet[]) => boolean;
}

export function useRuleStore(): RuleStore {
  const key = useAccountKey('muster-outcome-rules');
  const text = useSyncExternalStore(subscribe, () => read(key));
  const sets = setsIn(text);
  return useMemo(() => ({ sets, save: (next) => keep(key, next) }), [sets, key]);
}
