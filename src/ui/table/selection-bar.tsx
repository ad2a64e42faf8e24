// How many rows are selected, and the actions for all of them.
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';
import { Status } from '#/ui/controls/status.tsx';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  /** What the rows are: "jobs". */
  name: string;
  count: number;
  /** Shown beside the count: how many of them are not in the list. */
  note?: ReactNode;
  onClear: () => void;
  /** The bar spans the page below a full-width table, instead of being a box below a list. */
  edge?: boolean;
  children: ReactNode;
  /** Shown after Clear. */
  end?: ReactNode;
}

/** Milliseconds before a count is announced: screen readers often skip text that appears with its region. */
const ANNOUNCE_DELAY = 150;

export function SelectionBar({ name, count, note, onClear, edge = false, children, end }: SelectionBarProps) {
  const [announced, setAnnounced] = useState('');
  const text = `${formatCount(count)} selected`;
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(text), ANNOUNCE_DELAY);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <section aria-label={`Selected ${name}`} className={classes.bar} data-edge={edge || undefined}>
      <span className={classes.count}>
        <strong>{text}</strong>
        <span className="dim">{note}</span>
      </span>
      <Status className="visually-hidden">{announced}</Status>
      {children}
      <Button
        size="xs"
        variant="subtle"
        aria-label="Clear selection"
        onClick={() => {
          onClear();
          focusPage();
        }}
      >
        Clear
      </Button>
      {end}
    </section>
  );
}
