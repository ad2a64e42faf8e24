// The names of deleted artifacts with rules. Without them, deleting an old version would turn its rollbacks back into
// successes in the list.
import { useEffect, useMemo } from 'react';
import * as z from 'zod/mini';
import { currentAccount, json, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { ruleSets } from './rule-sets.ts';

/** Of the latest ids; one is some fifty characters. */
const MOST = 1000;

const storedNames = stored('muster-rule-names', [], json(z.array(z.tuple([z.string(), z.string()]))));

/** Names by the ids of artifacts and workflows that had rules when they were last seen. `names`: those there are now. */
export function useRememberedNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const account = useStore(currentAccount);
  const sets = useStore(ruleSets);
  const known = useMemo(() => {
    void account; // Another account has other names.
    const ruled = new Set(sets.map(({ name }) => name));
    return new Map([...storedNames.get(), ...[...names].filter(([, name]) => ruled.has(name))].slice(-MOST));
  }, [account, names, sets]);
  useEffect(() => {
    if (known.size > 0) storedNames.set([...known]);
  }, [known]);
  return known;
}
