// A text field with suggestions, for names of any kind.
import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { hiddenNote } from './text-field.tsx';

interface SuggestInputProps extends AutocompleteProps {
  data: string[];
}

export function SuggestInput({ data, ...input }: SuggestInputProps) {
  return (
    <Autocomplete
      maxLength={255}
      // A suggestion that is already typed would only cover the buttons below.
      data={data.filter((each) => each !== input.value?.trim())}
      limit={100}
      // A dialog focuses its first field: open suggestions would cover the rest of it and take the first Escape.
      openOnFocus={false}
      autoComplete="off"
      spellCheck={false}
      {...input}
      {...hiddenNote(input.value, input.description)}
    />
  );
}
