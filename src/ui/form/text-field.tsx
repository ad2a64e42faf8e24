// A line of text that is stored or compared. A note at the field shows hidden characters, which pasted text may bring.
import type { ComponentProps, ReactNode } from 'react';
import { TextInput } from '@mantine/core';
import { hiddenText } from '#/lib/glyphs.ts';

type FieldProps = ComponentProps<typeof TextInput>;

const BELOW: NonNullable<FieldProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

/** Props for a field whose value has hidden characters. The note goes below the input, where it does not move it. */
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
