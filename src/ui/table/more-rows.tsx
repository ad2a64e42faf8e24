// What goes below the rows of a list that is not shown whole: a button for more.
import { useState, type ReactNode } from 'react';
import { Button, Group } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';

const STEP = 100;

/** A long list in a plain table: the rows to show now, and what goes below them. `first`: how many to begin with. */
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

interface NextPageProps {
  /** A query that reads the list page by page. */
  reading: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label: string;
}

/** Nothing once the whole list was read. */
export function NextPage({ reading, label }: NextPageProps) {
  if (!reading.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button loading={reading.isFetchingNextPage} onClick={() => void reading.fetchNextPage()}>
        {label}
      </Button>
    </Group>
  );
}
