// A form in a dialog. It is validated first and sent once. The service's field errors appear at their fields, other errors
// above the buttons. A click outside does not close it once something is typed.
import { use, useId, type ReactNode } from 'react';
import { Button, Stack } from '@mantine/core';
import { useForm, type FormErrors } from '@mantine/form';
import type { UseMutationOptions } from '@tanstack/react-query';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { BaseDialog } from './base-dialog.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { useUnsaved } from './unsaved.ts';
import { useWrite } from './use-write.ts';
import { WriteGate } from './write-gate.ts';

/** The names and checks of the fields; `formRules` derives them from a schema of the contract. */
interface Rules<Field extends string> {
  labels: Record<Field, string>;
  check: (body: unknown) => Record<string, string>;
  /** The field errors that the service reported. */
  refused: (error: Error) => Record<string, string>;
  /** What remains of an error without its field errors. */
  unplaced: (error: Error | null) => Error | null;
}

export interface FormFields<Field extends string> {
  values: Record<Field, string>;
  /** The props of the field's input. */
  field: (name: Field) => ReturnType<ReturnType<typeof useForm>['getInputProps']> & { label: string };
  fill: (values: Partial<Record<Field, string>>) => void;
  /** Why the last submission failed. */
  error: Error | null;
}

interface FormDialogProps<Field extends string, Body, Data> {
  /** For a dialog that stays mounted while closed, so that it keeps what was typed. */
  opened?: boolean;
  onClose: () => void;
  title: string;
  size?: string;
  rules: Rules<Field>;
  initial: Record<Field, string>;
  /** Turns what was typed into the body that is checked and sent. */
  bodyOf: (values: Record<Field, string>) => Body;
  /** Why the form cannot be sent yet. */
  notReady?: (body: Body) => string | undefined;
  write: UseMutationOptions<Data, Error, Body>;
  request: (body: Body) => CurlRequest | undefined;
  /** Rewords an error for this dialog. */
  explain?: (error: Error) => Error;
  submitLabel: string;
  onDone: (data: Data, body: Body) => void;
  /** The fields, with their errors. */
  children: (form: FormFields<Field>) => ReactNode;
}

export function FormDialog<Field extends string, Body, Data>(props: FormDialogProps<Field, Body, Data>) {
  const { opened, title, size = 'md', rules, initial, bodyOf, notReady } = props;
  const { write, request, explain, onDone, children } = props;
  const { mutate, isPending, error: failure, reset } = useWrite(write);
  const error = failure && explain ? explain(failure) : failure;
  const isUnconfirmed = error instanceof UnconfirmedWrite;
  const form = useForm<Record<string, string>>({
    initialValues: initial,
    validate: (values) => rules.check(bodyOf(values)),
  });
  const why = use(WriteGate)(write);
  const reasonId = useId();
  const isTyped = form.isDirty();
  useUnsaved(opened !== false && isTyped && !isUnconfirmed);
  const typed = bodyOf(form.values);
  const reason = notReady?.(typed);
  const shown = reason === undefined ? request(typed) : undefined;
  const onClose = () => {
    // What may have been accepted is not sent when the dialog is opened again.
    if (isUnconfirmed) {
      form.reset();
      reset();
    }
    props.onClose();
  };
  const focusFirst = (faults: FormErrors) => form.getInputNode(Object.keys(faults)[0] ?? '')?.focus();
  const submit = form.onSubmit((values) => {
    if (reason !== undefined || isUnconfirmed) return;
    const body = bodyOf(values);
    mutate(body, {
      onError: (refusal) => form.setErrors(rules.refused(refusal)),
      onSuccess: (data) => {
        if (opened !== undefined) form.reset();
        onDone(data, body);
      },
    });
  }, focusFirst);
  return (
    <BaseDialog
      opened={opened}
      title={title}
      size={size}
      onClose={onClose}
      busy={isPending}
      why={why}
      closeOnClickOutside={!isTyped}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {children({
            values: form.values,
            field: (name) => ({ label: rules.labels[name], ...form.getInputProps(name) }),
            fill: (values) => {
              form.setValues(values);
              form.clearErrors();
            },
            error,
          })}
          {shown && <ShowAsCurl request={shown} />}
          <FormError error={rules.unplaced(error)} again />
          <DialogButtons
            onCancel={onClose}
            busy={isPending}
            note={
              reason !== undefined && (
                <span id={reasonId} className="dim">
                  {reason}
                </span>
              )
            }
          >
            {!isUnconfirmed && (
              <Button
                variant="filled"
                type="submit"
                loading={isPending}
                disabled={reason !== undefined}
                aria-describedby={reason && reasonId}
              >
                {props.submitLabel}
              </Button>
            )}
          </DialogButtons>
        </Stack>
      </form>
    </BaseDialog>
  );
}
