// What deleted artifacts with rules were called. Without it, deleting an old version would turn its rollbacks back into
// successes in the list.
import { useEffect, useMemo } from 'react';
import { useAccountKey } from '#/api/account-key.ts';
import { useRuleStore } from './rule-store.ts';

/** Of the latest ids; one is some fifty characters. */
const MOST = 1000;

function read(key: string): Map<string, string> {
  try {
    const rows: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    const isRow = (row: unknown): row is [string, string] =>
      Array.isArray(row) && row.length === 2 && row.every((each) => typeof each === 'string');
    return new Map(Array.isArray(rows) ? rows.filter(isRow) : []);
  } catch {
    return new Map();
  }
}

/** Names by the ids of artifacts and workflows that had rules when they were last seen. `names`: those there are now. */
export function useRememberedNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const key = useAccountKey('muster-rule-names');
  const { sets } = useRuleStore();
  const known = useMemo(() => {
    const ruled = new Set(sets.map(({ name }) => name));
    return new Map([...read(key), ...[...names].filter(([, name]) => ruled.has(name))].slice(-MOST));
  }, [key, names, sets]);
  useEffect(() => {
    if (known.size === 0) return;
    try {
      localStorage.setItem(key, JSON.stringify([...known]));
    } catch {
      // They are known as long as they are in the lists.
    }
  }, [key, known]);
  return known;
}
