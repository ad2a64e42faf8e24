// What a question asks about, once it is confirmed: sent once, and when it is done the dialog goes and the page has the
// focus, as the row it was about is gone.
import type { UseMutationOptions } from '@tanstack/react-query';
import { focusPage } from './use-focus-back.ts';
import { useWrite } from './use-write.ts';

/** The part of a ConfirmDialog that is about what it does. */
export function useConfirmed<T>(options: UseMutationOptions<T>, onClose: () => void) {
  const { mutate, isPending, error } = useWrite(options);
  const done = () => {
    onClose();
    focusPage();
  };
  return { onClose, busy: isPending, error, onConfirm: () => mutate(undefined, { onSuccess: done }) };
}
