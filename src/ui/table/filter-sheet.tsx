// The filters of a list on a phone, in a sheet that comes up from the bottom of the window.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { Status } from '#/ui/controls/status.tsx';
import classes from './filter-sheet.module.css';

interface FilterSheetProps {
  /** How many rows there are, in words. */
  count: ReactNode;
  onClose: () => void;
  onClear: (() => void) | undefined;
  children: ReactNode;
}

export function FilterSheet({ count, onClose, onClear, children }: FilterSheetProps) {
  return (
    <BaseDialog
      title="Filters"
      centered={false}
      onClose={onClose}
      classNames={{ inner: classes.inner, content: classes.content }}
      transitionProps={{ transition: 'slide-up' }}
    >
      <div className={classes.filters}>{children}</div>
      <DialogButtons
        onCancel={onClose}
        cancelLabel="Done"
        note={
          <>
            <Status className={classes.count}>{count}</Status>
            {onClear && (
              <Button variant="subtle" onClick={onClear}>
                Clear all
              </Button>
            )}
          </>
        }
      />
    </BaseDialog>
  );
}
