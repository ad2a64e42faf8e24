// The name or the count that is typed before something is lost.
import { TextInput, type TextInputProps } from '@mantine/core';

interface TypedWordProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  word: string;
  value: string;
  onChange: (value: string) => void;
}

export const TypedWord = ({ word, onChange, ...input }: TypedWordProps) => (
  <TextInput
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
