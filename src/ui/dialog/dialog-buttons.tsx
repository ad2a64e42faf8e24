// The buttons of a dialog: Cancel, then its action. Cancel gets the focus if the dialog has no fields.
import type { ReactNode } from 'react';
import { Button, Group } from '@mantine/core';

interface DialogButtonsProps {
  onCancel: () => void;
  cancelLabel?: string | undefined;
  busy?: boolean;
  /** Shown before Cancel: why the dialog cannot be confirmed yet. */
  note?: ReactNode;
  children?: ReactNode;
}

export function DialogButtons({ onCancel, cancelLabel = 'Cancel', busy = false, note, children }: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm" className="dialog-foot">
      {note}
      <Button onClick={onCancel} disabled={busy} data-autofocus>
        {cancelLabel}
      </Button>
      {children}
    </Group>
  );
}
