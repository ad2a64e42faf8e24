// The frame of every dialog: centred, with a labelled close button, not closable while busy, and with the focus given back
// to what opened it.
import '#/ui/dialog/modal.css';
import { Modal, type ModalProps } from '@mantine/core';
import { focusFirstField } from './first-field.ts';
import { useFocusBack } from './use-focus-back.ts';

interface BaseDialogProps extends Omit<ModalProps, 'opened' | 'onClose' | 'withCloseButton' | 'closeButtonProps'> {
  /** Only given for a dialog that is rendered while it is closed, which preserves what was typed. */
  opened?: boolean | undefined;
  /** Without it neither Escape, a click outside nor a close button closes it: only what is in it does. */
  onClose?: (() => void) | undefined;
  /** Something is under way that closing would leave unseen. */
  busy?: boolean;
}

export function BaseDialog({ opened = true, onClose, busy = false, children, ...modal }: BaseDialogProps) {
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
      <div ref={focusFirstField} className="contents">
        {children}
      </div>
    </Modal>
  );
}
