// The button below a list of which only a part is shown.
import { useState, type ReactNode } from 'react';
import { Button, Group } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';

const STEP = 100;

/** The rows of a long list to show now, and the button below them. `first`: how many to show at first. */
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
  /** An infinite query. */
  reading: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label: string;
}

/** Renders nothing once the last page is loaded. */
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
