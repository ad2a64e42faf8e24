// The row of filters above a list, with one button that takes them all back and how many rows there are.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import classes from './filter-row.module.css';

interface FilterRowProps {
  label: string;
  children: ReactNode;
  filtered: boolean;
  onClear: () => void;
  /** How many there are, in words. */
  count: string;
}

export function FilterRow({ label, children, filtered, onClear, count }: FilterRowProps) {
  return (
    <div className={classes.row} role="search" aria-label={label}>
      {children}
      {filtered && (
        <Button
          variant="subtle"
          size="sm"
          px="xs"
          leftSection={<IconX size={16} stroke={1.6} aria-hidden />}
          onClick={onClear}
        >
          Clear
        </Button>
      )}
      <span className={classes.count} role="status">
        {count}
      </span>
    </div>
  );
}
