// What a question asks about, once it is confirmed: sent once, and when it is done the dialog goes and the page has the
// focus, as the row it was about is gone.
import { useMutation } from '@tanstack/react-query';
import type { UseMutationOptions } from '@tanstack/react-query';
import { focusPage } from './use-focus-back.ts';

/** The part of a ConfirmDialog that is about what it does. */
export function useConfirmed<T>(options: UseMutationOptions<T>, onClose: () => void) {
  const { mutate, isPending, error } = useMutation(options);
  const done = () => {
    onClose();
    focusPage();
  };
  return { onClose, busy: isPending, error, onConfirm: () => mutate(undefined, { onSuccess: done }) };
}
