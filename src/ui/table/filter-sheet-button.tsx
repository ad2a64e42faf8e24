// The button of a phone that opens the filters, with the number of those that are on.
import { useState, type ComponentProps } from 'react';
import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import type { FilterSheet } from './filter-sheet.tsx';
import classes from './filter-bar.module.css';

const LateSheet = lazyDialog(() => import('./filter-sheet.tsx'), 'FilterSheet');

interface FilterSheetButtonProps extends Omit<ComponentProps<typeof FilterSheet>, 'onClose'> {
  /** How many filters are on. */
  on: number;
}

export function FilterSheetButton({ on, ...sheet }: FilterSheetButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        aria-haspopup="dialog"
        leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Filters
        {on > 0 && (
          <span className={classes.on}>
            {formatCount(on)}
            <span className="visually-hidden"> on</span>
          </span>
        )}
      </Button>
      <LateSheet open={isOpen && { ...sheet, onClose: () => setOpen(false) }} />
    </>
  );
}
