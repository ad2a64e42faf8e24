// How many rows are selected, and what can be done to all of them.
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
  /** Beside the count: how many of them are not in the list. */
  note?: ReactNode;
  onClear: () => void;
  /** Below a table that reaches to the edges of the page, not a box below a list. */
  edge?: boolean;
  children: ReactNode;
  /** After the button that clears. */
  end?: ReactNode;
}

/** Milliseconds until a count is announced: text that comes together with its region is often not. */
const ANNOUNCED = 150;

export function SelectionBar({ name, count, note, onClear, edge = false, children, end }: SelectionBarProps) {
  const [announced, setAnnounced] = useState('');
  const text = `${formatCount(count)} selected`;
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(text), ANNOUNCED);
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
