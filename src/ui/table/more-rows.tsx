// Long lists in plain tables: the first rows, and a button for more, so that thousands do not slow the page down.
import { useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';

const STEP = 100;

/** The rows to show now, and what goes below them. `first`: how many to begin with. */
export function useMoreRows<Row>(rows: readonly Row[], first = STEP): [shown: Row[], more: ReactNode] {
  const [most, setMost] = useState(first);
  const shown = rows.slice(0, most);
  if (shown.length === rows.length) return [shown, null];
  return [
    shown,
    <p key="more" className="dim">
      {formatCount(shown.length)} of {formatCount(rows.length)} shown.{' '}
      <Button size="xs" onClick={() => setMost(most + STEP)}>
        Show {formatCount(Math.min(STEP, rows.length - most))} more
      </Button>
    </p>,
  ];
}
