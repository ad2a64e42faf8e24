// The field for the name or count that confirms a loss.
import { type TextInputProps } from '@mantine/core';
import { TextField } from '#/ui/form/text-field.tsx';

interface TypedWordProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  word: string;
  value: string;
  onChange: (value: string) => void;
}

export const TypedWord = ({ word, onChange, ...input }: TypedWordProps) => (
  <TextField
    label={
      <>
        Type <strong>{word}</strong> to confirm
      </>
    }
    onChange={(event) => onChange(event.currentTarget.value)}
    autoComplete="off"
    spellCheck={false}
    {...input}
  />
);
