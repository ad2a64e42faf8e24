// The buttons at the end of a dialog: Cancel, and after it what the dialog is for. A dialog without fields begins at Cancel.
import type { ReactNode } from 'react';
import { Button, Group } from '@mantine/core';

interface DialogButtonsProps {
  onCancel: () => void;
  busy?: boolean;
  /** Before Cancel: why the dialog cannot be confirmed yet. */
  note?: ReactNode;
  children: ReactNode;
}

export function DialogButtons({ onCancel, busy = false, note, children }: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      {note}
      <Button onClick={onCancel} disabled={busy} data-autofocus>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
