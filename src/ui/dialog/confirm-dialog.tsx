// Asks before something is lost: it names the target and the consequence, and for many targets wants a word typed. The
// request is sent once.
import { use, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Button, Stack } from '@mantine/core';
import { useMutation, type UseMutationOptions } from '@tanstack/react-query';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { BaseDialog } from './base-dialog.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { TypedWord } from './typed-word.tsx';
import { focusPage } from './use-focus-back.ts';
import { WriteGate } from './write-gate.ts';

interface QuestionProps {
  onClose: () => void;
  title: string;
  /** The target and the consequence. */
  children: ReactNode;
  /** The verb and its object: "Delete device". */
  confirmLabel: string;
  /** The label of Cancel, where that could be mistaken for the action itself. */
  cancelLabel?: string;
  /** The name or count that must be typed to enable the button. */
  typed?: string | undefined;
  /** Whether nothing is lost: the button is not red then. */
  isHarmless?: boolean;
}

interface ConfirmDialogProps<Data> extends QuestionProps {
  /** The request to send on confirmation, also shown as curl. */
  write: UseMutationOptions<Data> & { request?: CurlRequest };
  /** Rewords an error for this dialog. */
  explain?: (error: Error) => Error;
  /** Called after success. By default the dialog closes and the page gets the focus, because the row is gone. */
  onDone?: (data: Data) => void;
}

export function ConfirmDialog<Data>({ write, explain, onDone, ...question }: ConfirmDialogProps<Data>) {
  const { mutate, isPending, error } = useMutation(write);
  const close = () => {
    question.onClose();
    focusPage();
  };
  return (
    <Question
      {...question}
      why={use(WriteGate)(write)}
      request={write.request}
      busy={isPending}
      error={error && explain ? explain(error) : error}
      onConfirm={() => mutate(undefined, { onSuccess: onDone ?? close })}
    />
  );
}

interface AskedProps extends QuestionProps {
  opened?: boolean;
  /** Why it is not possible. */
  why?: string | undefined;
  request?: CurlRequest | undefined;
  busy?: boolean;
  error?: Error | null;
  onConfirm: () => void;
}

/** The same question without a request of its own. */
export function Question(props: AskedProps) {
  const { opened = true, onClose, title, children, confirmLabel, cancelLabel, isHarmless = false } = props;
  const { typed, why, request, busy = false, error = null, onConfirm } = props;
  const [text, setText] = useState('');
  const ready = typed === undefined || text.trim() === typed;
  // A second click can arrive before the button is disabled: it counts only after a render, or after an error.
  const confirmed = useRef(false);
  // Before the paint, so that a click on the button as painted counts.
  useLayoutEffect(() => {
    if (!busy) confirmed.current = false;
  }, [busy, error, opened]);
  const close = () => {
    setText('');
    onClose();
  };
  return (
    <BaseDialog opened={opened} onClose={close} busy={busy} title={title} why={why}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready || busy || confirmed.current) return;
          confirmed.current = true;
          onConfirm();
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          {typed !== undefined && <TypedWord word={typed} value={text} onChange={setText} data-autofocus />}
          {request && <ShowAsCurl request={request} />}
          <FormError error={error} again />
          <DialogButtons onCancel={close} cancelLabel={cancelLabel} busy={busy}>
            <Button
              variant="filled"
              type="submit"
              {...(!isHarmless && { color: 'red' })}
              loading={busy}
              disabled={!ready}
            >
              {confirmLabel}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </BaseDialog>
  );
}
