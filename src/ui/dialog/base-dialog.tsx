// The frame of every dialog: it is centred, has a labelled close button, cannot be closed while busy, and returns the
// focus to what opened it.
import '#/ui/dialog/modal.css';
import { Modal, Stack, type ModalProps } from '@mantine/core';
import { DialogButtons } from './dialog-buttons.tsx';
import { focusFirstField } from './first-field.ts';
import { useFocusBack } from './use-focus-back.ts';

interface BaseDialogProps extends Omit<ModalProps, 'opened' | 'onClose' | 'withCloseButton' | 'closeButtonProps'> {
  /** For a dialog that stays mounted while closed, so that it keeps what was typed. */
  opened?: boolean | undefined;
  /** Without it, only the dialog's own content can close it: no close button, Escape or click outside. */
  onClose?: (() => void) | undefined;
  /** Blocks closing while a request is in progress. */
  busy?: boolean;
  /** Why what it is for is not possible: shown instead of its content. */
  why?: string | undefined;
}

export function BaseDialog({ opened = true, onClose, busy = false, why, children, ...modal }: BaseDialogProps) {
  useFocusBack(opened);
  const close = busy ? undefined : onClose;
  return (
    <Modal
      centered
      {...modal}
      opened={opened}
      onClose={close ?? (() => undefined)}
      withCloseButton={close !== undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {why === undefined ? (
        <div ref={focusFirstField} className="contents">
          {children}
        </div>
      ) : (
        <Stack gap="md">
          <p>{why}</p>
          {close && <DialogButtons onCancel={close} cancelLabel="Close" />}
        </Stack>
      )}
    </Modal>
  );
}
