// The filters of a list on a phone. They apply at once: the list behind the sheet changes as they do.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { Sheet } from '#/ui/dialog/sheet.tsx';
import classes from './filter-bar.module.css';

interface FilterSheetProps {
  /** How many rows the filters leave, in words. */
  count: ReactNode;
  /** Undefined if no filter is on. */
  onClear: (() => void) | undefined;
  onClose: () => void;
  children: ReactNode;
}

export function FilterSheet({ count, onClear, onClose, children }: FilterSheetProps) {
  return (
    <Sheet
      title="Filters"
      onClose={onClose}
      foot={
        <>
          {onClear && (
            <Button
              onClick={() => {
                onClear();
                onClose();
              }}
            >
              Clear all
            </Button>
          )}
          <Button variant="filled" onClick={onClose}>
            {count ? <>Show {count}</> : 'Done'}
          </Button>
        </>
      }
    >
      <div className={classes.sheet}>{children}</div>
    </Sheet>
  );
}
