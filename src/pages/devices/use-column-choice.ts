// The choice of columns of whoever is signed in, as this browser keeps it.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { USUAL, printChoice, readChoice } from './column-choice.ts';
import type { ColumnChoice } from './column-choice.ts';

/** A browser may refuse to keep anything. */
const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const keep = (key: string, choice: ColumnChoice) => {
  try {
    if (choice === USUAL) localStorage.removeItem(key);
    else localStorage.setItem(key, printChoice(choice));
  } catch {
    // It holds until the page is left.
  }
};

export function useColumnChoice(): [choice: ColumnChoice, set: (choice: ColumnChoice) => void] {
  const { data: session } = useQuery(sessionQueries.current());
  const key = `muster-columns:${session?.UserEmail ?? ''}`;
  const kept = useMemo(() => readChoice(read(key)), [key]);
  const [changed, setChanged] = useState<{ key: string; choice: ColumnChoice }>();
  const set = (choice: ColumnChoice) => {
    keep(key, choice);
    setChanged({ key, choice });
  };
  return [changed?.key === key ? changed.choice : kept, set];
}
