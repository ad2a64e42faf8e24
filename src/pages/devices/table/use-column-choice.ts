// The choice of columns of whoever is signed in, as this browser keeps it.
import { useMemo, useSyncExternalStore } from 'react';
import { useAccountKey } from '#/api/account-key.ts';
import { keepText, onKept, readKept } from '#/ui/form/kept-text.ts';
import { USUAL, printChoice, readColumnChoice } from './column-choice.ts';
import type { ColumnChoice } from './column-choice.ts';

/** Text that is kept for this account under a name. */
export function useKept(name: string): { key: string; text: string | null } {
  const key = useAccountKey(`muster-${name}`);
  return { key, text: useSyncExternalStore(onKept, () => readKept(key)) };
}

export function useColumnChoice(): [choice: ColumnChoice, set: (choice: ColumnChoice) => void] {
  const { key, text } = useKept('columns');
  const choice = useMemo(() => readColumnChoice(text), [text]);
  return [choice, (wanted) => keepText(key, wanted === USUAL ? null : printChoice(wanted))];
}
