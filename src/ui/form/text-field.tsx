// A line of text that is stored or compared. Pasted text may bring characters that nobody can see: they are shown at the
// field.
import type { ComponentProps, ReactNode } from 'react';
import { TextInput } from '@mantine/core';
import { hiddenText } from '#/lib/glyphs.ts';

type FieldProps = ComponentProps<typeof TextInput>;

const BELOW: NonNullable<FieldProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

/** Further props of a field whose value has hidden characters; the note is below, where it moves nothing above. */
export function hiddenNote(value: unknown, description?: ReactNode) {
  const note = typeof value === 'string' ? hiddenText(value) : undefined;
  if (note === undefined) return {};
  return {
    inputWrapperOrder: BELOW,
    description: (
      <>
        {description} <span className="breakable">{note}</span>
      </>
    ),
  };
}

export const TextField = (props: FieldProps) => (
  <TextInput {...props} {...hiddenNote(props.value, props.description)} />
);
